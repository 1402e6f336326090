// The rooms' words on made-up findings: a sentence is said where it is true, and nowhere else.  Rooms are functions of what
// was found, so they are called here with findings of our own, in the page that a browser has open.
const NAMES = { model: 'panel.model', audit_report: 'check.html', certificate: 'panel.certificate', labelled: 'labelled.csv', sensitive: ['group'],
  pool: 'pool.csv', id: 'record', key: 'draw.key', commitment: 'commitment.json', selected: 'panel.csv', alternates_file: 'alternates.csv',
  learn_report: 'rule.html', page: 'draw.html', tickets: 'tickets.csv', randomness_value: '1 2 3' };
const FILES = ['panel.model', 'labelled.csv', 'pool.csv', 'draw.key', 'commitment.json', 'panel.csv', 'rule.html'];

// The text of a room that has found these documents; `stale` are actions whose command has changed since.
const textOf = (page, name, documents, choices = {}, files = FILES, stale = []) => page.evaluate(async ([room_name, found, all, names, past]) => {
  const { room } = await import(`/room_${room_name}.js`);
  const results = Object.fromEntries(Object.entries(found).map(([action, document]) => [action, { document, fresh: true }]));
  const app = { choices: all, results, lines: {}, refusals: {}, wanted: {}, done: {}, job: null, files: names.map(file => ({ name: file, size: 1 })), dialects: ['sqlite'],
    all: () => all, has: file => names.includes(file), current: action => past.includes(action) ? null : results[action] ?? null, busy: () => false, askLine() {}, columnsOf: () => ['record'] };
  const place = document.createElement('div');
  place.append(...room(app).flat(9).filter(Boolean));
  return place.textContent.replace(/\s+/g, ' ');
}, [name, documents, { ...NAMES, ...choices }, files, stale]);

const audit = (measured, upper, more = {}) => ({ budget: 0.3, rows: 5000, certified: upper <= 0.3, pass: measured <= 0.3, labels_needed: upper > 0.3 && measured < 0.3 ? 17340 : null,
  disclosure: { measured, upper, confidence: 0.95 }, imbalance: { measured: 0.212, upper: 0.262 }, yield: { measured: 0.11, low: 0.104, high: 0.114 }, attempt: 1,
  attacker: { group: 'Dune', prior: 0.04, accepted: 0.161, rejected: 0.025, asking_again: 0 }, white_box: { disclosure: 0.79, rows: 80 }, ...more });
const VERDICTS = ['Certified: the rule discloses at most', 'Within the budget as measured, not certified', 'NOT within the budget',
  'A certificate needs about', 'More rows of this kind would not certify it'];

async function verdicts(page, check) {
  const cases = [[audit(0.2, 0.29), 'Certified: the rule discloses at most 0.290. The budget is 0.30.'],
    [audit(0.28, 0.31), 'Within the budget as measured, not certified: 0.280 of 0.30.', 'A certificate needs about 13,000 more labelled rows.'],
    [audit(0.3, 0.32, { labels_needed: null }), 'Within the budget as measured, not certified: 0.300 of 0.30.', 'More rows of this kind would not certify it'],
    [audit(0.31, 0.33, { pass: false }), 'NOT within the budget: measured 0.310, allowed 0.30.']];
  for (const [found, ...said] of cases) {
    const text = await textOf(page, 'check', { audit: found });
    for (const words of said) check(text.includes(words), `not said: ${words}`);
    for (const words of VERDICTS) check(said.some(each => each.startsWith(words)) === text.includes(words), `said of ${found.disclosure.measured}: ${words}`);
    check(text.includes(`at most ${found.disclosure.upper.toFixed(3)} with 95 % confidence`), 'the bound is not beside the figure');
  }
}

async function learned(page, check) {
  const one = await textOf(page, 'check', { audit: audit(0.2, 0.29) });
  for (const words of ['Dune: 4.0 % → 16.1 %', 'Dune: 4.0 % → 2.5 %', 'by asking againnothing more', '0.79 was found, for a set of 80 people; more may be possible'])
    check(one.includes(words), `not said: ${words}`);
  const other = await textOf(page, 'check', { audit: audit(0.2, 0.29, { attacker: { ...audit(0, 0).attacker, asking_again: 0.1 }, white_box: { disclosure: 0, rows: 0 }, attempt: 3 }) });
  for (const words of ['up to 0.100 more', 'nothing more was found', 'attempt 3 with these labels or this rule']) check(other.includes(words), `not said: ${words}`);
  const few = await textOf(page, 'check', { audit: audit(0.2, 0.29, { attacker: { suppressed: true } }) });
  check(few.includes('Too few people to show it') && !few.includes('from being accepted'), 'small counts are shown');
}

async function rules(page, check) {
  const point = { max_disclosure: 0.3, min_yield: 0.1, limit: 0.2, at_yield: 0.21, bound: 0.2999, cross_validated: { disclosure: 0.27, disclosure_error: 0.01,
    imbalance: 0.245, imbalance_error: 0.02, yield: 0.107, composition: [0.46, 0.3, 0.24], composition_error: [0.02, 0.02, 0.02] },
    chances: { least: 0.0042, most: 0.9, none: 0.125 } };
  const groups = [{ attribute: 'g', value: 'Amber', base_rate: 0.732, target: 0.25 }, { attribute: 'g', value: 'Birch', base_rate: 0.15, target: 0.4 },
    { attribute: 'g', value: 'Cedar', base_rate: 0.118, target: 0.35 }];
  const frontier = { groups, points: [point, { ...point, max_disclosure: 1, cross_validated: { ...point.cross_validated, imbalance: 0.104 } }], limit_curve: [] };
  const learn = { method: 'direct', max_disclosure: 0.3, confidence: 0.95, cross_validated: point.cross_validated, limit: { at_yield: 0.21 }, warnings: [],
    chances: { least: 0.0081, most: 1, none: 0.25 } };
  const text = await textOf(page, 'tradeoff', { frontier, learn }, { budget: 0.3, yield: 0.1 });
  for (const words of ['Amber: 73.2 % of the people, 46.0 % of the cohort. The target is 25.0 %.', 'by at most 30 percentage points', '0.270 ± 0.010', 'budget 0.30',
    'at most 0.300 with 95 % confidence', '0.245 ± 0.020', 'limit 0.210: no rule within the budget can beat it', 'at this yield, with a budget of 1.0: 0.104 ± 0.020',
    '1 in 9 candidates is accepted', 'at least 10 % was asked for', '73.2 % → 46.0 %', '73.2 % → 76.5 %', 'Chances of acceptance: from 0.42 % to 90.0 %; 12.5 % of the people have none.', 'Chances of acceptance: from 0.81 % to 100.0 %; 25.0 % of the people have none.'])
    check(text.includes(words), `not said: ${words}`);
  const earlier = 'panel.model holds the rule that was taken before, with a budget of 0.30. The next rooms use it until you take this one.';
  check(!text.includes(earlier) && text.includes('The rule is made'), 'the rule of the dials is not told from an earlier one');
  const moved = await textOf(page, 'tradeoff', { frontier, learn }, { budget: 0.3, yield: 0.1 }, FILES, ['learn']);
  check(moved.includes(earlier) && !moved.includes('The rule is made'), `not said: ${earlier}`);
  const told = { direct: 'can learn more about their group than the outcome tells.', publishable: 'With 95 % confidence nobody’s answers to its questions tell more than the budget of 0.30.' };
  for (const [method, words] of Object.entries(told)) {
    const publish = await textOf(page, 'publish', { learn: { ...learn, method } });
    for (const each of Object.values(told)) check(publish.includes(each) === (each === words), `${method}: ${each}`);
  }
  check((await textOf(page, 'publish', { learn, audit: audit(0.2, 0.29) })).includes(': 0.79 was found for some people, and more may be possible.'), 'the finding is not told');
}

async function draws(page, check) {
  const commit = { size: 150, alternates: 1, records: 20000, digest: 'abc', warnings: ['heed this'], chances: { least: 0.0006, most: 0.069, none: 0 } };
  const plan = { size: 150, alternates: 60, candidates: 3000, candidates_low: 2500, candidates_high: 3600, confidence: 0.95 };
  const before = await textOf(page, 'draw', { plan }, {}, FILES.filter(name => name !== 'commitment.json'));
  check(before.includes('150 seats and 60 alternates need about 3,000 candidates at this yield; with 95 % confidence between 2,500 and 3,600.'), 'the plan is not told');
  const bound = await textOf(page, 'draw', { commit });
  for (const words of ['Committed: 150 seats and 1 alternate from 20,000 people.', 'Chances of a seat: from 0.06 % to 6.9 %; 0.0 % of the people have none.', 'heed this'])
    check(bound.includes(words), `not said: ${words}`);
  const select = { selected: 150, alternates: 1, read: 20000, warnings: [] };
  for (const [verify, words] of [[{ pass: true, records: 20000, rounds: 1 }, 'Verified: 20,000 records, 1 round of declines, the same people.'],
    [{ pass: false, difference: 'another person in seat 3' }, 'NOT the draw that was committed to: another person in seat 3']]) {
    const text = await textOf(page, 'draw', { commit, select, verify });
    check(text.includes(words) && text.includes('Verified:') === verify.pass && text.includes('Drawn: 150 seats and 1 alternate from 20,000 people.'), `not said: ${words}`);
  }
}

async function groups(page, check) {
  const inspect = { rows: 1010, columns: [{ name: 'age', kind: 'number', examples: '', missing: 0, distinct: 9, disclosure: 0.3, strong: true, used: true, reason: '' }], notices: [],
    groups: [{ attribute: 'group', value: 'big', rows: 1000 }, { attribute: 'group', value: 'tiny', rows: 10 }] };
  const text = await textOf(page, 'data', { inspect });
  check(text.includes('Only 10 labelled in "tiny": figures about so few are a guess, and 50.0 % of the cohort would rest on it.'), 'a small group is not warned of');
  check(!text.includes('labelled in "big"') && text.includes('tells a lot by itself') && text.includes('1,010 labelled rows'), 'the Data room');
  const sign = { name: 'group', kind: 'levels', examples: '', missing: 0, distinct: 3, disclosure: null, used: false, reason: 'sensitive attribute', separator: '|' };
  const offered = 'Cells look like several groups with "|" between them. Read as they are, each combination is a group of its own.';
  const taken = 'Cells are read as all groups between "|". A person counts fully in each, so shares need not sum to 100 %.';
  const overlap = { ...inspect, groups: [{ attribute: 'group', value: 'big', rows: 909, target: 0.61 }, { attribute: 'group', value: 'other', rows: 505, target: 0.61 }] };
  const propose = await textOf(page, 'data', { inspect: { ...inspect, columns: [...inspect.columns, sign] } });
  const several = await textOf(page, 'data', { inspect: overlap }, { multiple: '|' });
  check(!text.includes('Are people in several groups?') && propose.includes(offered) && !propose.includes(taken), 'a separator is not offered where one is seen');
  for (const words of [taken, 'Groups overlap: their shares need not sum to 100 %.', 'big90990.0 %61.0 %', 'other50550.0 %61.0 %'])
    check(several.includes(words) && !text.includes(words), `not said of groups that overlap: ${words}`);
  const alone = await page.evaluate(async () => (await import('/room_data.js')).shift([{ share: 0.6 }, { share: 0.6 }], 1, 0.7, true).map(group => group.share));
  check(JSON.stringify(alone) === '[0.6,0.7]', 'shares of groups that overlap move each other');
  const passed = await page.evaluate(async choices => (await import('/room_tradeoff.js')).learning({ all: () => choices }), { keep: ['a'], ignore: ['b'], min_group: 30, intersect: true, multiple: '|' });
  check(JSON.stringify([passed.keep, passed.ignore, passed.min_group, passed.intersect, passed.multiple]) === '[["a"],["b"],30,true,"|"]', 'choices about columns do not reach the rule');
  const own = await textOf(page, 'data', { inspect }, { target: 'target.csv', shares: [{ attribute: 'group', value: 'big', share: 0.9 }, { attribute: 'group', value: 'tiny', share: 0.1 }] });
  check(own.includes('and 10.0 % of the cohort would rest on it'), 'the share of a small group is not the one that is wanted');
}

async function emptyFolder(page, check) {
  for (const room of ['check', 'draw', 'publish']) {
    check((await textOf(page, room, {}, {}, [])).includes('There is no rule yet.'), `${room} without a rule`);
    check(!(await textOf(page, room, {})).includes('There is no rule yet.'), `${room} with a rule`);
  }
  const publish = await textOf(page, 'publish', {}, {}, ['panel.model']);
  check(publish.includes('Nothing has been drawn yet.') && publish.includes('There is none yet.'), 'nothing to publish');
}

export async function wordsFitTheFigures(page, check) {
  for (const part of [verdicts, learned, rules, draws, groups, emptyFolder]) await part(page, check);
}
