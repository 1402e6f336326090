// Publish: each thing that can be handed on, with what it reveals.
import { card, el, field, number, percent, plural, select } from './dom.js';
import { commandBox } from './command.js';

const ENDINGS = { c: 'c', json: 'json' };
const open = (name, words) => el('a', { href: `/files/${encodeURIComponent(name)}`, target: '_blank', rel: 'noopener' }, words);
const reveals = (...words) => el('p', {}, el('strong', {}, 'Reveals: '), words);

function reportCard(app, all) {
  const reports = [[all.learn_report, 'how the rule was found'], [all.audit_report, 'how it was checked']].filter(([name]) => app.has(name));
  return card(el('h2', {}, 'The reports'),
    reveals('shares of groups and figures of the rule. Counts that are too small are hidden. Nobody’s record.'),
    reports.length ? reports.map(([name, words]) => el('p', {}, open(name, name), ` ${words}`)) : el('p', { class: 'quiet' }, 'There is none yet.'));
}

function pageCard(app, all) {
  const choices = { commitment: all.commitment, key: all.key, randomness_value: all.no_randomness ? null : all.randomness_value,
    page: all.page, tickets: all.tickets, pool: all.pool };
  const box = commandBox(app, { action: 'publish', choices, label: 'Make the page' });
  const found = app.current('publish')?.document;
  return card(el('h2', {}, 'The page on which anybody checks the draw'),
    reveals('how many tickets reached each leaf of the rule; to a person with a ticket, where it stands and why. Nobody’s data, and not the key.'),
    found && [el('p', { class: 'verdict good' }, `Made: ${plural(found.tickets, 'ticket')}, ${plural(found.selected, 'seat')}.`),
      el('p', {}, open(all.page, 'Open the page'), '. It works without a network and recomputes the draw by itself.'),
      el('p', { class: 'note' }, el('code', {}, all.tickets), ' says who has which ticket. Tell each person theirs; never publish it.')],
    box);
}

function exportCard(app, all) {
  const dialect = all.dialect ?? app.dialects?.[0];
  const exported = `rule-${dialect}.${ENDINGS[dialect] ?? 'sql'}`;
  const box = commandBox(app, { action: 'export', choices: { model: all.model, dialect, id: all.id, exported }, label: 'Write it', main: false });
  return card(el('h2', {}, 'The rule for a database'),
    reveals('the whole rule, as the model does. The key is not in it.'),
    field('dialect', 'Engine', select(app.dialects ?? [], dialect, value => app.choose({ dialect: value }))),
    app.current('export') && el('p', {}, open(exported, exported), ' gives the same decisions as this program.'),
    box);
}

// What the file tells beyond the outcome: a promise of a publishable rule, else a finding of the audit.
function fileTells(app) {
  const learned = app.results.learn?.document, white = app.results.audit?.document?.white_box;
  if (app.results.learn?.fresh && learned?.method === 'publishable')
    return `With ${percent(learned.confidence, 0)} confidence nobody’s answers to its questions tell more than the budget of ${number(learned.max_disclosure, 2)}.`;
  return 'Whoever has it and knows a person’s columns can learn more about their group than the outcome tells' +
    (white && !white.suppressed && white.disclosure > 0 ? `: ${number(white.disclosure, 2)} was found for some people, and more may be possible.` : '.');
}

function modelCard(app, all) {
  const box = commandBox(app, { action: 'show', choices: { model: all.model }, label: 'Explain it in words', main: false });
  const text = app.current('show')?.text;
  return card(el('h2', {}, 'The model'),
    reveals('no training rows and no counts. ', fileTells(app)),
    el('p', {}, open(all.model, all.model)),
    text && el('pre', { class: 'words', tabindex: 0, 'aria-label': 'the rule in words' }, text), box);
}

export function room(app) {
  const all = app.all();
  const heading = [el('h1', {}, 'What do others see?'), el('p', { class: 'lead' }, 'Each item, with what it reveals. Nothing is sent anywhere: you pass it on yourself.')];
  if (!app.has(all.model)) return [...heading, card(el('p', {}, 'There is no rule yet.'), el('p', {}, el('a', { href: '#tradeoff' }, 'Go to Trade-off')))];
  return [...heading,
    app.results.select?.fresh && app.has(all.selected) ? pageCard(app, all) : card(el('p', {}, 'Nothing has been drawn yet.'), el('p', {}, el('a', { href: '#draw' }, 'Go to Draw'))),
    reportCard(app, all), exportCard(app, all), modelCard(app, all)];
}
