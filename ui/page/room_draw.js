// Draw: the pool, the seats, the commitment before the randomness is known, the result, and who takes whose place.
import { card, count, el, field, more, next, percent, plural, select, tables } from './dom.js';
import { commandBox } from './command.js';

const wholeNumber = (app, name, fallback) => el('input', { type: 'number', min: 0, step: 1, value: app.choices[name] ?? fallback,
  oninput: event => app.type({ [name]: Math.max(0, Math.round(Number(event.target.value))) }) });
const words = (app, name, example) => el('input', { type: 'text', value: app.choices[name] ?? '', placeholder: example, autocomplete: 'off',
  oninput: event => app.type({ [name]: event.target.value }) });

const seats = app => ({ size: app.choices.size ?? 150, alternates: app.choices.alternates ?? 60 });

// A step that is done folds up; what was chosen can still be looked at.
const folded = (id, done, words, ...children) => done ? more(id, words, children) : children;

function poolCard(app, all, done) {
  const names = tables(app.files).filter(name => name !== all.labelled && !/^(panel|alternates|tickets|target|quotas|declined)/.test(name));
  const columns = all.pool ? app.columnsOf(all.pool) : [];
  const quotas = tables(app.files).filter(name => name.startsWith('quotas'));
  return card(el('h2', {}, 'The pool and the seats'),
    done && el('p', {}, el('code', {}, all.pool), `, named by ${all.id}; ${plural(seats(app).size, 'seat')}, ${plural(seats(app).alternates, 'alternate')}.`),
    folded('change-pool', done, 'Change it', el('div', { class: 'row' },
      field('pool', 'Pool of candidates', select(names, all.pool, value => app.choose({ pool: value, id: null, one_per: null }), 'choose a file'),
        'Their group is not needed, and not read if it is there.'),
      field('id', 'Column that names a person', select(columns, all.id, value => app.choose({ id: value }), 'choose a column'))),
    el('div', { class: 'row' }, field('size', 'Seats', wholeNumber(app, 'size', 150)),
      field('alternates', 'Alternates', wholeNumber(app, 'alternates', 60), 'In rank order, for those who decline.')),
    more('conditions', 'Households and quotas',
      el('div', { class: 'row' },
        field('one_per', 'One per household', select(columns.filter(name => name !== all.id), all.one_per?.[0],
          value => app.choose({ one_per: value ? [value] : null }), 'no limit'), 'The column that names a household.'),
        field('quotas', 'Quotas on visible columns', select(quotas, all.quotas, value => app.choose({ quotas: value || null }), 'none'),
          'A table quotas.csv in the folder: feature,value,min,max.')))));
}

function planCard(app, all) {
  const box = commandBox(app, { action: 'plan', choices: { model: all.model, ...seats(app) }, auto: true });
  const found = app.current('plan')?.document;
  return card(el('h2', {}, 'Are there enough candidates?'),
    found && el('p', {}, `${count(found.size)} seats and ${count(found.alternates)} alternates need about ${count(found.candidates)} candidates at this yield; ` +
      `with ${percent(found.confidence, 0)} confidence between ${count(found.candidates_low)} and ${count(found.candidates_high)}.`), box);
}

// ---- before the draw

function randomnessFields(app, all) {
  const none = Boolean(all.no_randomness);
  return [
    el('div', { class: 'choice' }, el('input', { type: 'radio', name: 'randomness', id: 'with-randomness', checked: !none,
      onchange: () => app.choose({ no_randomness: false }) }), el('label', { for: 'with-randomness' },
      'public randomness that nobody knows yet ', el('span', { class: 'quiet' }, 'nobody can have tried keys'))),
    el('div', { class: 'choice' }, el('input', { type: 'radio', name: 'randomness', id: 'without-randomness', checked: none,
      onchange: () => app.choose({ no_randomness: true }) }), el('label', { for: 'without-randomness' },
      'none ', el('span', { class: 'quiet' }, 'commitment, result and page will say that you could have tried keys'))),
    !none && el('div', { class: 'row' },
      field('randomness', 'Its source', words(app, 'randomness', 'the lottery of 1 May'), 'Published with the commitment.'),
      field('randomness_form', 'What its value will be', select([['numbers', 'numbers'], ['hex', 'hexadecimal digits']],
        all.randomness_form ?? 'numbers', value => app.choose({ randomness_form: value }))),
      field('randomness_time', 'When it will be known', words(app, 'randomness_time', '2026-05-01T20:00Z'),
        'No draw can be made before. Leave it empty if you are not sure.')),
  ];
}

function commitCard(app, all, done) {
  const choices = { model: all.model, id: all.id, ...seats(app), one_per: all.one_per, quotas: all.quotas, key: all.key,
    randomness: all.no_randomness ? null : all.randomness, randomness_form: all.no_randomness ? null : all.randomness_form ?? 'numbers',
    randomness_time: all.no_randomness ? null : all.randomness_time, no_randomness: Boolean(all.no_randomness), log: all.log, commitment: all.commitment, pool: all.pool };
  const ready = app.has(all.key);
  const keyBox = !ready && commandBox(app, { action: 'key', choices: { key: all.key }, label: 'Make the key' });
  const box = ready && commandBox(app, { action: 'commit', choices, label: app.has(all.commitment) ? 'Commit again' : 'Commit to the draw',
    done: () => app.choose({ rounds: 0, declined: null, declined_ids: '' }) });
  const found = app.results.commit?.document;
  return card(el('h2', {}, 'Commit, before anybody can know the outcome'),
    el('p', { class: 'quiet' }, 'The commitment fixes rule, pool, seats and key. Published now, it lets anybody check later that the draw was neither repeated nor changed.'),
    !ready && el('p', {}, `First a key. It stays in ${all.key}, readable by you alone, and is never shown here.`),
    ready && !done && randomnessFields(app, all),
    found && app.has(all.commitment) && [
      el('p', { class: 'verdict good' }, `Committed: ${plural(found.size, 'seat')} and ${plural(found.alternates, 'alternate')} from ${count(found.records)} people.`),
      el('p', {}, 'Publish ', el('code', {}, all.commitment), ' now, or its digest ', el('code', {}, found.digest), '.'),
      found.chances && el('p', { class: found.chances.none > 0 ? 'note' : null }, `Chances of a seat: from ${percent(found.chances.least, 2)} to ${percent(found.chances.most)}; ` +
        `${percent(found.chances.none)} of the people have none.`),
      !done && found.warnings.map(warning => el('p', { class: 'note' }, warning))],
    done ? more('commit-again', 'Commit again', randomnessFields(app, all), box) : keyBox || box);
}

// ---- the draw and after

const committed = all => ({ commitment: all.commitment, key: all.key, randomness_value: all.no_randomness ? null : all.randomness_value, pool: all.pool });

function drawCard(app, all) {
  const box = commandBox(app, { action: 'select', choices: { ...committed(all), selected: all.selected, alternates_file: all.alternates_file },
    label: 'Draw', again: false });
  const found = app.current('select')?.document;
  return card(el('h2', {}, 'Draw'),
    !all.no_randomness && field('randomness_value', 'The public randomness, once it is known', words(app, 'randomness_value', '4 8 15 16 23 42'),
      'Spaces, and the order of numbers, make no difference.'),
    found && [
      el('p', { class: 'verdict good' }, `Drawn: ${plural(found.selected, 'seat')} and ${plural(found.alternates, 'alternate')} from ${count(found.read)} people.`),
      el('p', {}, 'The panel is in ', el('code', {}, all.selected), ', the alternates in rank order in ', el('code', {}, all.alternates_file), '.'),
      found.warnings.map(warning => el('p', { class: 'note' }, warning))],
    box);
}

function verifyCard(app, all) {
  const round = all.rounds ?? 0;
  const choices = { ...committed(all), result: round ? `panel-${round + 1}.csv` : all.selected,
    result_alternates: round ? null : all.alternates_file };
  const box = commandBox(app, { action: 'verify', choices, label: 'Verify the draw', main: false });
  const found = app.current('verify')?.document;
  return card(el('h2', {}, 'Is it the draw that was committed to?'),
    found && (found.pass ? el('p', { class: 'verdict good' }, `Verified: ${plural(found.records, 'record')}, ${plural(found.rounds, 'round')} of declines, the same people.`)
      : el('p', { class: 'verdict bad' }, `NOT the draw that was committed to: ${found.difference}`)),
    box);
}

let declining;

// One id per line, under the name of the id column, as the command reads them.
async function keepDeclined(app, text) {
  const all = app.all(), ids = text.split(/[\s,;]+/).filter(Boolean), name = `declined-${(all.rounds ?? 0) + 1}.csv`;
  try {
    if (ids.length) await app.bring(name, new Blob([[all.id, ...ids].join('\n') + '\n']));
    app.choose({ declined_ids: ids.join(' '), declined: ids.length ? name : null });
  } catch (refusal) {
    app.complain(refusal);
  }
}

function replaceCard(app, all) {
  const round = all.rounds ?? 0;
  const choices = { ...committed(all), declined: all.declined, replaced: `panel-${round + 2}.csv`, replaced_alternates: `alternates-${round + 2}.csv` };
  return card(el('h2', {}, 'Has somebody declined?'),
    el('p', { class: 'quiet' }, 'The next in rank take their seats; nobody else moves.'),
    round > 0 && el('p', { class: 'verdict good' }, `${plural(round, 'round')} of declines: the panel is now in panel-${round + 1}.csv.`),
    field('declined_ids', 'Who declined, by id', el('textarea', { rows: 2, value: app.choices.declined_ids ?? '',
      oninput: event => { clearTimeout(declining); declining = setTimeout(() => keepDeclined(app, event.target.value), 400); } }), 'One or more, separated by blanks or lines.'),
    all.declined && commandBox(app, { action: 'replace', choices, label: 'Give their seats to the next in rank',
      done: () => app.choose({ rounds: round + 1, declined: null, declined_ids: '' }) }));
}

export function room(app) {
  const all = app.all();
  const heading = [el('h1', {}, 'Who gets a seat?'), el('p', { class: 'lead' },
    'A draw that nobody can rig, not even the organiser, and that others can check.')];
  if (!app.has(all.model)) return [...heading, card(el('p', {}, 'There is no rule yet.'), el('p', {}, el('a', { href: '#tradeoff' }, 'Go to Trade-off')))];
  const ready = all.pool && app.has(all.pool) && all.id, bound = app.has(all.commitment) && app.results.commit;
  const draw = ready && bound && drawCard(app, all), drawn = app.current('select');
  return [
    ...heading,
    poolCard(app, all, ready && bound),
    ready && !bound && planCard(app, all),
    ready && commitCard(app, all, drawn),
    draw,
    ready && drawn && verifyCard(app, all),
    ready && drawn && replaceCard(app, all),
    ready && drawn && next('publish', 'Next: what do others see?'),
  ];
}
