// Trade-off: two dials and what they buy. All points are there before a dial is moved.
import { card, count, el, fact, more, next, number, percent } from './dom.js';
import { commandBox } from './command.js';
import { curve, groupBars } from './bars.js';

const BUDGETS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1];
const YIELDS = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5];

export const learning = app => {
  const { labelled, sensitive, intersect, multiple, target, keep, min_group, ignore } = app.all();
  return { labelled, sensitive, intersect, multiple, target, keep, min_group, ignore };
};

const nearest = (list, wanted) => list.reduce((best, value) => Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best, list[0]);
const pointAt = (points, budget, share) => points.find(point => point.max_disclosure === budget && point.min_yield === share);
const distinct = values => [...new Set(values)].sort((a, b) => a - b);

// The group whose share moves most, once somebody is known to be accepted or rejected.
function learned(groups, figures) {
  const rejected = (base, after) => (base - figures.yield * after) / (1 - figures.yield);
  return groups.map((group, i) => ({ value: group.value, base: group.base_rate, accepted: figures.composition[i],
    rejected: figures.yield < 1 ? Math.min(1, Math.max(0, rejected(group.base_rate, figures.composition[i]))) : null }))
    .filter((group, _, all) => group.accepted !== null || all.every(other => other.accepted === null)) // withheld
    .sort((a, b) => Math.abs(b.accepted - b.base) - Math.abs(a.accepted - a.base) || a.base - b.base)[0];
}

function learnedTable(groups, figures) {
  const most = learned(groups, figures);
  return el('table', { class: 'plain' }, el('tbody', {},
    el('tr', {}, el('th', { scope: 'row' }, 'before anything is known'), el('td', {}, `${most.value}: ${percent(most.base)}`)),
    el('tr', {}, el('th', { scope: 'row' }, 'from being accepted'), el('td', {}, `${percent(most.base)} → ${percent(most.accepted)}`)),
    el('tr', {}, el('th', { scope: 'row' }, 'from being rejected'), el('td', {}, `${percent(most.base)} → ${percent(most.rejected)}`)),
    el('tr', {}, el('th', { scope: 'row' }, 'by asking again'), el('td', {}, 'nothing more: the answer is the same'))));
}

const inPoints = share => count(100 * share);

// The dials in two sentences: what they buy, and what that costs. The group is the one that is farthest from its target today.
function inWords(groups, point) {
  const gap = group => Math.abs(group.base_rate - group.target);
  const at = groups.reduce((best, group, i) => gap(group) > gap(groups[best]) ? i : best, 0), group = groups[at];
  return card(
    el('p', { class: 'verdict' }, `${group.value}: ${percent(group.base_rate)} of the people, ${percent(point.cross_validated.composition[at])} of the cohort. ` +
      `The target is ${percent(group.target)}.`),
    el('p', {}, `In return, knowing that somebody was accepted or rejected moves the chance of any group by at most ${inPoints(point.max_disclosure)} percentage points, with 95 % confidence.`));
}

const give = error => error ? ` ± ${number(error)}` : '';

// What a pair of dials buys; drawn anew at every move, from what is in memory.
function bought(document, all, point) {
  const figures = point.cross_validated, largest = all.filter(other => other.min_yield === point.min_yield && other.cross_validated.imbalance !== null)
    .reduce((found, other) => found && found.max_disclosure > other.max_disclosure ? found : other, null);
  const limit = point.at_yield ?? point.limit;
  return [
    inWords(document.groups, point),
    el('div', { class: 'facts' },
      fact('Disclosure (0: tells nothing)', `${number(figures.disclosure)}${give(figures.disclosure_error)}`, `budget ${number(point.max_disclosure, 2)}`,
        point.bound !== undefined && point.bound !== null && `at most ${number(point.bound)} with 95 % confidence`),
      fact('Imbalance (0: every group at its target)', `${number(figures.imbalance)}${give(figures.imbalance_error)}`, `limit ${number(limit)}: no rule within the budget can beat it`,
        largest && `at this yield, with a budget of ${number(largest.max_disclosure, 1)}: ${number(largest.cross_validated.imbalance)}${give(largest.cross_validated.imbalance_error)}`),
      fact('Yield', percent(figures.yield), `1 in ${count(Math.max(1, 1 / figures.yield))} candidates is accepted`,
        `at least ${percent(point.min_yield, point.min_yield < 0.01 ? 1 : 0)} was asked for`)),
    el('div', { class: 'columns' },
      card(el('h2', {}, 'Who is in the cohort?'), groupBars(document.groups, figures.composition, figures.composition_error)),
      card(el('h2', {}, 'What someone learns about a person'), learnedTable(document.groups, figures),
        el('p', { class: 'quiet small' }, `The group that moves most. The budget allows ${inPoints(point.max_disclosure)} points up or down.`))),
    chances(point),
    el('p', { class: 'quiet small' }, 'Measured on people that the rules had not seen; ± is one standard error. Chances are those of the people learned from.'),
  ];
}

// Moves by key and pointer; the words follow at once, the project when the dial is let go.
function dial(id, label, help, values, value, words, moved, settled) {
  const output = el('output', { for: id }, words(value));
  const input = el('input', { type: 'range', id, min: 0, max: values.length - 1, step: 1, value: values.indexOf(value),
    'aria-valuetext': words(value), 'aria-describedby': `${id}-help` });
  input.addEventListener('input', () => {
    const now = values[Number(input.value)];
    output.textContent = words(now);
    input.setAttribute('aria-valuetext', words(now));
    moved(now);
  });
  input.addEventListener('change', () => settled(values[Number(input.value)]));
  return el('div', { class: 'dial' }, el('div', { class: 'head' }, el('label', { for: id }, label), output), input,
    el('p', { class: 'quiet', id: `${id}-help` }, help));
}

function player(app, document) {
  const points = document.points, budgets = distinct(points.map(point => point.max_disclosure));
  const yields = distinct(points.map(point => point.min_yield));
  let budget = nearest(budgets, app.choices.budget ?? 0.2), share = nearest(yields, app.choices.yield ?? 0.1);
  const place = el('div', {}), picture = el('div', { class: 'curve' });
  const show = () => {
    const point = pointAt(points, budget, share);
    place.replaceChildren(...bought(document, points, point));
    picture.replaceChildren(curve(document.limit_curve, points.filter(other => other.min_yield === share), point,
      wanted => app.choose({ budget: wanted, yield: share })));
  };
  const settle = () => app.choose({ budget, yield: share });
  show();
  return [
    el('div', { class: 'columns' },
      card(
        dial('budget', 'Budget of disclosure', 'The most that being accepted or rejected may tell about a person’s group. More buys more balance.',
          budgets, budget, value => value.toFixed(2), value => { budget = value; show(); }, settle),
        dial('yield', 'Yield, at least', 'The share of candidates that is accepted. Less buys more balance, and needs more candidates.',
          yields, share, value => percent(value, 0), value => { share = value; show(); }, settle)),
      card(picture, el('div', { class: 'legend' }, el('span', {}, el('span', { class: 'key after' }), 'reached on unseen people'),
        el('span', {}, el('span', { class: 'key dashed' }), 'limit: what no rule can beat')))),
    place,
  ];
}

function chances(document) {
  const chance = document.chances;
  return chance && el('p', { class: chance.none > 0 ? 'note' : null }, `Chances of acceptance: from ${percent(chance.least, 2)} to ${percent(chance.most)}; ${percent(chance.none)} of the people have none.`);
}

// Dials that were moved since make no rule; the other rooms go on with the one that was taken.
function earlierRule(app, all) {
  const kept = app.has(all.model) && app.results.learn?.document;
  return kept && el('p', { class: 'note' }, `${all.model} holds the rule that was taken before, with a budget of ${number(kept.max_disclosure, 2)}. ` +
    'The next rooms use it until you take this one.');
}

function ruleCard(app) {
  const all = app.all(), choices = { ...learning(app), budget: all.budget ?? 0.2, yield: all.yield ?? 0.1, model: all.model,
    learn_report: all.learn_report, publishable: all.publishable };
  const box = commandBox(app, { action: 'learn', choices, label: 'Take this rule' });
  const made = app.current('learn')?.document, figures = made?.cross_validated;
  return card(el('h2', {}, made ? 'The rule is made' : 'Take it?'),
    made ? [
      el('p', { class: 'verdict good' }, `${all.model} discloses ${number(figures.disclosure)}${give(figures.disclosure_error)} of a budget of ${number(made.max_disclosure, 2)}.`),
      el('p', {}, `Imbalance ${number(figures.imbalance)}${give(figures.imbalance_error)}, limit ${number(made.limit.at_yield ?? made.limit.imbalance)}; yield ${percent(figures.yield)}. ` +
        'Measured on people whom the rule had not seen; ± is one standard error.'),
      chances(made),
      made.warnings.map(warning => el('p', { class: 'note' }, warning)),
      el('p', {}, el('a', { href: `/files/${encodeURIComponent(all.learn_report)}`, target: '_blank', rel: 'noopener' }, 'Open the report'))]
      : [earlierRule(app, all),
        el('p', { class: 'quiet' }, 'The rule is learned at these dials and kept in the folder. You can come back and take another.')],
    el('div', { class: 'choice' }, el('input', { type: 'checkbox', id: 'publishable', checked: Boolean(all.publishable),
      onchange: event => app.choose({ publishable: event.target.checked }) }),
      el('label', { for: 'publishable' }, 'a rule whose file may be published ', el('span', { class: 'quiet' }, 'fewer questions, and no answers to them tell more than the budget'))),
    box);
}

export function room(app) {
  const heading = [el('h1', {}, 'What does a budget buy?'), el('p', { class: 'lead' },
    'The more the outcome may disclose about a person’s group, the better the cohort can be balanced. Move the dials.')];
  if (!app.choices.labelled || !app.choices.sensitive?.length)
    return [...heading, card(el('p', {}, 'First choose the labelled file and the sensitive attribute.'),
      el('p', {}, el('a', { href: '#data' }, 'Go to Data')))];
  const box = commandBox(app, { action: 'frontier', choices: { ...learning(app), budgets: BUDGETS, yields: YIELDS }, auto: true });
  const found = app.current('frontier')?.document;
  return [
    ...heading,
    found ? player(app, found) : card(el('h2', {}, 'Learning all points, so that the dials answer at once'),
      el('p', { class: 'quiet' }, `${BUDGETS.length} budgets at ${YIELDS.length} yields.`), box),
    found && ruleCard(app),
    found && card(more('points', 'Where the points come from', box)),
    app.current('learn') && next('check', 'Next: does it hold?'),
  ].flat();
}
