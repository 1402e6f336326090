// Check: people with known groups whom the rule has not seen; the verdict in words, and what is missing for a certificate.
import { card, count, el, fact, field, more, next, number, percent, select, tables } from './dom.js';
import { commandBox } from './command.js';

const SIGNING_KEY = 'officer.key';

// Two digits say all that an estimate of this kind knows.
function round(rows) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, rows))) - 1);
  return Math.max(unit, Math.ceil(rows / unit) * unit);
}

function verdict(found) {
  const budget = number(found.budget, 2), measured = number(found.disclosure.measured), upper = number(found.disclosure.upper);
  const confidence = percent(found.disclosure.confidence, 0);
  if (found.certified) return [el('p', { class: 'verdict good' }, `Certified: the rule discloses at most ${upper}. The budget is ${budget}.`),
    el('p', {}, `Measured ${measured} on ${count(found.rows)} people whom the rule had not seen; the certificate holds with ${confidence} confidence.`)];
  if (found.pass || found.disclosure.measured <= found.budget) return [
    el('p', { class: 'verdict' }, `Within the budget as measured, not certified: ${measured} of ${budget}.`),
    el('p', {}, `With ${confidence} confidence it is at most ${upper}. ` + (found.labels_needed
      ? `A certificate needs about ${count(round(found.labels_needed - found.rows))} more labelled rows.`
      : 'More rows of this kind would not certify it: the measured figure is too near the budget.'))];
  return [el('p', { class: 'verdict bad' }, `NOT within the budget: measured ${measured}, allowed ${budget}.`),
    el('p', {}, 'Take a rule with a smaller budget, or learn from more people.')];
}

function learnedTable(attacker, white) {
  if (!attacker || attacker.suppressed) return el('p', { class: 'quiet' }, 'Too few people to show it without revealing something about them.');
  const row = (label, words) => el('tr', {}, el('th', { scope: 'row' }, label), el('td', {}, words));
  return el('table', { class: 'plain' }, el('tbody', {},
    row('from being accepted', `${attacker.group}: ${percent(attacker.prior)} → ${percent(attacker.accepted)}`),
    row('from being rejected', `${attacker.group}: ${percent(attacker.prior)} → ${percent(attacker.rejected)}`),
    row('by asking again', attacker.asking_again > 0 ? `up to ${number(attacker.asking_again)} more` : 'nothing more'),
    white && !white.suppressed && row('with the model file', white.disclosure > 0
      ? `${number(white.disclosure, 2)} was found, for a set of ${count(white.rows)} people; more may be possible` : 'nothing more was found')));
}

function findings(found) {
  const confidence = percent(found.disclosure.confidence, 0);
  return [
    card(verdict(found)),
    el('div', { class: 'facts' },
      fact('Disclosure', number(found.disclosure.measured), `budget ${number(found.budget, 2)}`, `at most ${number(found.disclosure.upper)} with ${confidence} confidence`),
      fact('Imbalance', number(found.imbalance.measured), `at most ${number(found.imbalance.upper)} with ${confidence} confidence`),
      fact('Yield', percent(found.yield.measured), `between ${percent(found.yield.low)} and ${percent(found.yield.high)} with ${confidence} confidence`)),
    card(el('h2', {}, 'What someone learns about a person'), learnedTable(found.attacker, found.white_box)),
  ];
}

function signing(app) {
  if (app.has(SIGNING_KEY)) return el('p', { class: 'quiet' }, `Signed with ${SIGNING_KEY}; others check it with ${SIGNING_KEY}.pub.`);
  return more('sign', 'Sign the certificate',
    el('p', { class: 'quiet' }, 'A signature tells others who has checked. The key stays in the folder.'),
    commandBox(app, { action: 'signing-key', choices: { signing_key: SIGNING_KEY }, label: 'Make a signing key', main: false }));
}

export function room(app) {
  const all = app.all(), names = tables(app.files).filter(name => name !== all.labelled && !/^(panel|alternates|tickets|target|quotas|declined)/.test(name));
  const heading = [el('h1', {}, 'Does the rule keep its promise?'), el('p', { class: 'lead' },
    'Measured again, on other people who have stated their group.')];
  if (!app.has(all.model)) return [...heading, card(el('p', {}, 'There is no rule yet.'), el('p', {}, el('a', { href: '#tradeoff' }, 'Go to Trade-off')))];
  const choices = { model: all.model, checked: all.checked, certificate: all.certificate, audit_report: all.audit_report,
    signing_key: app.has(SIGNING_KEY) ? SIGNING_KEY : null };
  const box = commandBox(app, { action: 'audit', choices, label: 'Check the rule' });
  const found = app.current('audit')?.document;
  return [
    ...heading,
    card(el('h2', {}, 'Labelled people whom the rule has not seen'),
      field('checked', 'Labelled file', select(names, all.checked, value => app.choose({ checked: value }), 'choose a file'),
        'With the sensitive attribute, and not the file that was learned from.'),
      signing(app), box),
    found && findings(found),
    found && card(el('p', {}, el('a', { href: `/files/${encodeURIComponent(all.audit_report)}`, target: '_blank', rel: 'noopener' }, 'Open the report'),
      found.certified ? ' · the certificate is ' : ' · what was found is kept in ', el('code', {}, all.certificate), found.attempt > 1 && ` · attempt ${found.attempt} with these labels or this rule`)),
    found && next('draw', 'Next: who gets a seat?'),
  ].flat();
}
