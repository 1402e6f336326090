// Data: which file, which column is sensitive, which columns may be used, which shares are wanted.
import { card, count, el, field, more, next, number, percent, select, tables } from './dom.js';
import { commandBox } from './command.js';

const SMALL_GROUP = 30;

async function take(app, file) {
  if (!file) return;
  try {
    await app.bring(file.name, file);
    app.complaint = null;
    app.choose({ labelled: file.name });
  } catch (refusal) {
    app.complain(refusal);
  }
}

function dropPlace(app) {
  const input = el('input', { type: 'file', id: 'bring', 'aria-label': 'Bring a file into the folder',
    onchange: event => take(app, event.target.files[0]) });
  const place = el('div', { class: 'drop' }, el('p', { class: 'quiet' }, 'Drop a file here, or choose one; it is copied into the folder.'), input);
  place.addEventListener('dragover', event => { event.preventDefault(); place.classList.add('over'); });
  place.addEventListener('dragleave', () => place.classList.remove('over'));
  place.addEventListener('drop', event => { event.preventDefault(); take(app, event.dataTransfer.files[0]); });
  return place;
}

// Another file has other columns, so nothing else that was chosen about columns holds.
function fileCard(app) {
  const names = tables(app.files).filter(name => !/^(panel|alternates|tickets|target|quotas|declined)/.test(name));
  const size = name => app.files.find(file => file.name === name).size;
  return card(el('h2', {}, 'The labelled file'),
    el('p', { class: 'quiet' }, 'People who have stated their group, in a table with a header. Nobody else ever has to.'),
    el('div', { role: 'radiogroup', 'aria-label': 'The labelled file' }, names.map((name, i) => el('div', { class: 'choice' },
      el('input', { type: 'radio', name: 'labelled', id: `file-${i}`, checked: app.choices.labelled === name,
        onchange: () => app.choose({ labelled: name, sensitive: [], ignore: [], keep: [], target: null, shares: null, min_group: null, multiple: null }) }),
      el('label', { for: `file-${i}` }, name, ' ', el('span', { class: 'quiet' }, `${count(size(name) / 1000)} kB`))))),
    dropPlace(app));
}

function sensitiveCard(app, columns) {
  const chosen = app.choices.sensitive ?? [];
  const change = (index, value) => {
    const list = (app.choices.sensitive ?? []).slice();
    if (value) list[index] = value; else list.splice(index, 1);
    app.choose({ sensitive: list, keep: [], target: null, shares: null, min_group: null, multiple: null, intersect: app.choices.intersect && list.length > 1 });
  };
  const control = index => field(`sensitive-${index}`, index === 0 ? 'Sensitive attribute' : 'and also',
    select(columns.filter(name => name === chosen[index] || !chosen.includes(name)), chosen[index], value => change(index, value),
      index === 0 ? 'choose a column' : 'no other'));
  return card(el('h2', {}, 'Which groups should be balanced?'),
    el('p', { class: 'quiet' }, 'The attribute is read here, to find the rule. The rule itself never asks for it.'),
    el('div', { class: 'row' }, control(0), chosen.length > 0 && control(chosen.length)),
    chosen.length > 1 && !app.choices.multiple && el('div', { class: 'choice' }, el('input', { type: 'checkbox', id: 'intersect', checked: Boolean(app.choices.intersect),
      onchange: event => app.choose({ intersect: event.target.checked, target: null, shares: null }) }),
      el('label', { for: 'intersect' }, 'balance their combinations')));
}

// The triage sees signs between groups in the cells of a sensitive column.
function severalGroups(app, found) {
  const { multiple } = app.choices, sign = multiple ?? found.columns.find(column => column.separator)?.separator;
  return sign && card(el('h2', {}, 'Are people in several groups?'),
    el('p', {}, multiple ? `Cells are read as all groups between "${sign}". A person counts fully in each, so shares need not sum to 100 %.`
      : `Cells look like several groups with "${sign}" between them. Read as they are, each combination is a group of its own.`),
    el('div', { class: 'choice' }, el('input', { type: 'checkbox', id: 'multiple', checked: Boolean(multiple),
      onchange: event => app.choose({ multiple: event.target.checked ? sign : null, intersect: false, target: null, shares: null }) }),
      el('label', { for: 'multiple' }, `"${sign}" stands between groups`)));
}

// On: may be used.  What the triage leaves out is used all the same when it is switched on; what it would use is left out when
// it is switched off.
function turnColumn(app, column, on) {
  const without = list => (list ?? []).filter(name => name !== column.name);
  const { keep, ignore } = app.choices;
  if (on) app.choose({ ignore: without(ignore), keep: column.used === false ? [...without(keep), column.name] : keep });
  else if (keep?.includes(column.name)) app.choose({ keep: without(keep) });
  else app.choose({ ignore: [...without(ignore), column.name] });
}

function columnRow(app, column) {
  const ignored = app.choices.ignore?.includes(column.name), kept = app.choices.keep?.includes(column.name);
  const on = !ignored && (kept || column.used !== false);
  const words = ignored ? 'switched off by you' : kept ? 'switched on by you' : column.used === false ? column.reason
    : column.strong ? 'tells a lot by itself' : '';
  return el('tr', {},
    el('td', {}, el('input', { type: 'checkbox', role: 'switch', id: `use-${column.name}`, checked: on,
      'aria-label': `use ${column.name}`, onchange: event => turnColumn(app, column, event.target.checked) })),
    el('td', {}, column.name), el('td', { class: 'wide' }, column.kind), el('td', { class: 'wide quiet' }, column.examples || '–'),
    el('td', { class: 'wide r' }, count(column.missing)), el('td', { class: 'wide r' }, count(column.distinct)),
    el('td', { class: 'r' }, number(column.disclosure, 2)), el('td', { class: on ? 'quiet' : null }, words));
}

// `wide`: left out where the screen is narrow.
const HEADS = [['use'], ['column'], ['kind', 'wide'], ['examples', 'wide'], ['missing', 'wide r'], ['distinct', 'wide r'],
  ['discloses by itself', 'r'], ['why']];

function columnsCard(app, found, box) {
  const columns = found.columns.filter(column => !app.choices.sensitive.includes(column.name));
  return card(el('h2', {}, 'Which columns may the rule look at?'),
    el('p', { class: 'quiet' }, 'Switch off columns that must not decide who is chosen, and columns that you will not have for the candidates.'),
    el('div', { class: 'scroll', id: 'columns', tabindex: 0, role: 'region', 'aria-label': 'Columns' }, el('table', {},
      el('thead', {}, el('tr', {}, HEADS.map(([head, place]) => el('th', { scope: 'col', class: place }, head)))),
      el('tbody', {}, columns.map(column => columnRow(app, column))))),
    found.notices.length > 0 && more('notices', 'All remarks on the columns', found.notices.map(notice => el('p', { class: 'quiet small' }, notice))), box);
}

// ---- target shares

const quote = text => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

async function keepShares(app, shares) {
  const lines = ['attribute,value,share', ...shares.map(group => `${quote(group.attribute)},${quote(group.value)},${group.share}`)];
  try {
    await app.bring('target.csv', new Blob([lines.join('\n') + '\n']));
    app.choose({ target: 'target.csv', shares });
  } catch (refusal) {
    app.complain(refusal);
  }
}

// The others of the attribute give or take in proportion, in whole per mille, so that the sum is exactly 1; groups that overlap
// need not sum to anything.
export function shift(shares, index, share, overlap) {
  if (overlap) return shares.map((group, i) => i === index ? { ...group, share: Math.round(1000 * share) / 1000 } : group);
  const list = shares.map(group => ({ ...group, mille: Math.round(1000 * group.share) }));
  const others = list.filter((group, i) => i !== index && group.attribute === list[index].attribute);
  list[index].mille = others.length ? Math.max(0, Math.min(1000, Math.round(1000 * share))) : 1000;
  let rest = 1000 - list[index].mille, weight = others.reduce((sum, group) => sum + group.mille, 0);
  others.forEach((group, i) => {
    const part = i === others.length - 1 ? rest : Math.min(rest, Math.round(rest * (weight ? group.mille / weight : 1 / (others.length - i))));
    weight -= group.mille;
    group.mille = part;
    rest -= part;
  });
  return list.map(({ mille, ...group }) => ({ ...group, share: mille / 1000 }));
}

function evenShares(groups, overlap) {
  if (overlap) return groups.map(({ attribute, value, target }) => ({ attribute, value, share: Math.round(1000 * target) / 1000 }));
  const size = attribute => groups.filter(group => group.attribute === attribute).length;
  let shares = groups.map(({ attribute, value }) => ({ attribute, value, share: Math.floor(1000 / size(attribute)) / 1000 }));
  for (const attribute of new Set(groups.map(group => group.attribute))) {
    const first = shares.findIndex(group => group.attribute === attribute);
    const others = shares.reduce((sum, group, i) => i !== first && group.attribute === attribute ? sum + Math.round(1000 * group.share) : sum, 0);
    shares[first].share = (1000 - others) / 1000;
  }
  return shares;
}

const SLIDER_RESTS_MS = 250;
let moved;

// Keys move it step by step: the table is written when it rests.
function slider(app, group, shares, i) {
  const words = el('output', { for: `share-${i}` }, percent(shares[i].share));
  return el('li', {}, el('div', { class: 'dial' },
    el('div', { class: 'head' }, el('label', { for: `share-${i}` }, group.value), words),
    el('input', { type: 'range', id: `share-${i}`, min: 0, max: 1000, step: 5, value: Math.round(1000 * shares[i].share),
      'aria-valuetext': percent(shares[i].share), oninput: event => { words.textContent = percent(event.target.value / 1000); },
      onchange: event => {
        const share = event.target.value / 1000;
        clearTimeout(moved);
        moved = setTimeout(() => keepShares(app, shift(app.choices.shares ?? shares, i, share, Boolean(app.choices.multiple))), SLIDER_RESTS_MS);
      } }),
    el('p', { class: 'quiet' }, `now ${percent(group.base_rate)}`)));
}

function smallGroups(app, small) {
  const pooled = Boolean(app.choices.min_group);
  if (small.length === 0 && !pooled) return null;
  return el('div', { class: 'note' },
    small.map(group => el('p', {}, `Only ${count(group.rows)} labelled in "${group.value}": figures about so few are a guess, ` +
      `and ${percent(group.wanted)} of the cohort would rest on it.`)),
    el('div', { class: 'choice' }, el('input', { type: 'checkbox', id: 'min-group', checked: pooled,
      onchange: event => app.choose({ min_group: event.target.checked ? SMALL_GROUP : null, target: null, shares: null }) }),
      el('label', { for: 'min-group' }, `pool groups of fewer than ${SMALL_GROUP} people as "other"; leave them out if they are still too few`)));
}

function targetCard(app, groups, rows) {
  const overlap = Boolean(app.choices.multiple), own = Boolean(app.choices.target), shares = app.choices.shares ?? evenShares(groups, overlap);
  const even = group => overlap ? group.target : 1 / groups.filter(other => other.attribute === group.attribute).length;
  const small = groups.map((group, i) => ({ ...group, wanted: own ? shares[i].share : even(group) })).filter(group => group.rows < SMALL_GROUP);
  return card(el('h2', {}, 'Which shares are wanted in the cohort?'),
    smallGroups(app, small),
    el('div', { role: 'radiogroup', 'aria-label': 'Target shares' },
      el('div', { class: 'choice' }, el('input', { type: 'radio', name: 'target', id: 'target-even', checked: !own,
        onchange: () => app.choose({ target: null }) }), el('label', { for: 'target-even' }, 'every group the same')),
      el('div', { class: 'choice' }, el('input', { type: 'radio', name: 'target', id: 'target-own', checked: own,
        onchange: () => keepShares(app, shares) }), el('label', { for: 'target-own' }, 'shares of our own'))),
    own ? el('ul', { class: 'shares' }, groups.map((group, i) => slider(app, group, shares, i)))
      : el('table', { class: 'plain' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'group'), el('th', { scope: 'col', class: 'r' }, 'people'),
        el('th', { scope: 'col', class: 'r' }, 'now'), el('th', { scope: 'col', class: 'r' }, 'target'))),
        el('tbody', {}, groups.map(group => el('tr', {}, el('td', {}, group.value), el('td', { class: 'r' }, count(group.rows)),
          el('td', { class: 'r' }, percent(group.base_rate)), el('td', { class: 'r' }, percent(even(group))))))),
    overlap && el('p', { class: 'quiet' }, 'Groups overlap: their shares need not sum to 100 %.'),
    rows && el('p', { class: 'quiet small' }, `${count(rows)} labelled rows`));
}

// Groups as the triage counts them, with the share of each among the labelled rows.
const countedGroups = document => document.groups.map(group => ({ ...group, base_rate: document.rows ? group.rows / document.rows : null }));

export function room(app) {
  const chosen = app.choices.labelled && app.has(app.choices.labelled), sensitive = app.choices.sensitive ?? [];
  const names = chosen ? app.columnsOf(app.choices.labelled) : [];
  const { labelled, intersect, multiple, min_group } = app.choices;
  const box = chosen && sensitive.length > 0 && commandBox(app,
    { action: 'inspect', choices: { labelled, sensitive, intersect, multiple, min_group }, auto: true });
  const found = box && app.current('inspect')?.document;
  return [
    el('h1', {}, 'What do we know, and about whom?'),
    el('p', { class: 'lead' }, 'The rule is learned from people who have stated their group. It then chooses among people who have not.'),
    fileCard(app),
    names.length > 0 && sensitiveCard(app, names),
    found && severalGroups(app, found),
    found && found.groups.length > 0 && targetCard(app, countedGroups(found), found.rows),
    found ? columnsCard(app, found, box) : box && card(el('h2', {}, 'Looking at every column'), box),
    found && next('tradeoff', 'Next: what is possible?'),
  ];
}
