// The public page of a draw as an organiser's neighbour meets it, in Chromium and in Firefox:
//
//     node check-draw.mjs FOLDER [DIRECTORY]
//
// FOLDER holds plain.html, whole.html (households and quotas), loose.html and large.html (100,000 tickets) with their tables of
// tickets, as check-draw makes them. Honest pages must check out, forged ones must not, and none may ask the network for anything.
// Needs playwright-core (npm) and Debian's chromium and firefox-esr; CHROMIUM and FIREFOX name others.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'check-draw.mjs'));
const playwright = require('playwright-core');

const MOST_SECONDS = 5;
const [folder, directory] = process.argv.slice(2);
const failures = [];
let checks = 0;
const check = (holds, what) => { checks++; if (!holds) failures.push(what); };

/* ---- forgeries ---- */

const read = name => readFileSync(join(folder, name), 'utf8');
const DATA = /(<script type="application\/json" id="data">)([^]*?)(<\/script>)/;

/* The page with its data changed by `change`, which gets them parsed and the tickets as lists of words. */
function forge(text, change) {
  const data = JSON.parse(DATA.exec(text)[2]);
  const lines = data.tickets.split('\n').filter(Boolean).map(line => line.split(' '));
  change(data, lines);
  data.tickets = lines.map(words => words.join(' ') + '\n').join('');
  return text.replace(DATA, (_, open, __, close) => open + JSON.stringify(data).replaceAll('<', '\\u003c') + close);
}
const [LEAF, SEAT, SINCE, , HOUSEHOLD] = [1, 2, 3, 4, 5];
const SELECTED = '1', STANDS = '0', ALTERNATE = '2', NO_RANK = '5';
const first = (lines, seat) => lines.find(words => words[SEAT] === seat);
const swap = (one, other) => { [one[SEAT], other[SEAT]] = [other[SEAT], one[SEAT]]; };

/* Name, page, what is changed, and what the page must say is not so. */
const FORGERIES = [
  ['a changed ticket', 'plain', (_, lines) => { lines[7][0] = (lines[7][0][0] === 'a' ? 'b' : 'a') + lines[7][0].slice(1); }, 'The tickets are those'],
  ['a swapped order', 'plain', (_, lines) => { [lines[3], lines[4]] = [lines[4], lines[3]]; }, 'The tickets are those'],
  ['a ticket left out', 'plain', (_, lines) => { lines.splice(lines.indexOf(first(lines, STANDS)), 1); }, 'The tickets are those'],
  ['a ticket twice', 'plain', (_, lines) => { lines.splice(5, 0, lines[5]); }, 'The tickets are those'],
  ['a wrong key', 'plain', data => { data.ranking_key = data.ranking_key.replace(/.$/, last => last === '0' ? '1' : '0'); }, 'The key of the numbers'],
  ['a wrong randomness', 'plain', data => { data.randomness = '4 8 15 16 23 43'; }, 'Seats and alternates'],
  ['randomness in another spelling', 'plain', data => { data.randomness = '42 8 15 16 23 4'; }, 'The public randomness'],
  ['one number too many', 'plain', data => { data.randomness += ' 43'; }, 'The public randomness'],
  ['no randomness', 'plain', data => { data.randomness = null; }, 'The public randomness'],
  ['a commitment to more seats', 'plain', data => { data.commitment = data.commitment.replace('"size":60', '"size":61'); }, 'The commitment is whole'],
  ['a friend instead of a selected one', 'plain', (_, lines) => swap(first(lines, SELECTED), first(lines, STANDS)), 'Seats and alternates'],
  ['a friend among the alternates', 'plain', (_, lines) => swap(first(lines, ALTERNATE), first(lines, STANDS)), 'Seats and alternates'],
  ['a seat for one who has no rank', 'plain', (_, lines) => { first(lines, NO_RANK)[SEAT] = SELECTED; }, 'Every line'],
  ['a household that nobody committed to', 'plain', (_, lines) => { for (const words of [first(lines, SELECTED), first(lines, ALTERNATE)]) words[HOUSEHOLD] = '1'; }, 'Every line'],
  ['a chance above one', 'plain', data => { data.accept = data.accept.split(' ').map(chance => chance > 0 ? 1.5 : chance).join(' '); }, 'Every line'],
  ['quotas that nobody committed to', 'plain', (data, lines) => {
    data.quotas = { picked: 0, probabilities: '1', seats: '60', types: '0' };
    for (const words of lines) if (words[LEAF] !== '-1') words[6] = '0';
  }, 'Every line'],
  ['a round that was not', 'plain', (_, lines) => { first(lines, SELECTED)[SINCE] = '9'; }, 'Every line'],
  ['another composition', 'whole', data => { data.quotas.probabilities = '1e-9 ' + data.quotas.probabilities; }, 'How many of each quota type'],
  ['a composition that breaks a quota', 'whole', data => {
    const seats = data.quotas.seats.split(' ').map(Number), most = seats.indexOf(Math.max(...seats));
    data.quotas.seats = seats.map((count, type) => type === most ? count - 1 : type === (most + 1) % seats.length ? count + 1 : count).join(' ');
  }, 'Seats and alternates'],
  ['two of one household', 'whole', (_, lines) => { const out = first(lines, '4'); out[SEAT] = SELECTED; }, 'Seats and alternates'],
  ['without its quotas', 'whole', data => { data.quotas = null; }, 'changed or is damaged'],
];

/* ---- looking ---- */

const FIREFOX = { channel: 'moz-firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr' };
const CHROMIUM = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'],
};

async function open(browser, path, options = {}) {
  const page = await browser.newPage(options), url = pathToFileURL(resolve(path)).href;
  page.on('console', message => failures.push(`${path}: console ${message.type()}: ${message.text()}`));
  page.on('pageerror', error => failures.push(`${path}: script error: ${error.message}`));
  page.on('request', request => {
    if (request.url() !== url && !request.url().startsWith('data:')) failures.push(`${path}: request ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('#verdict.good, #verdict.bad', { timeout: 60000 });
  return page;
}

const verdict = async page => [await page.locator('#verdict').getAttribute('class'), await page.locator('#verdict').innerText()];

async function checkHonest(browser, where, name) {
  const page = await open(browser, join(folder, `${name}.html`));
  const [kind, text] = await verdict(page);
  check(kind === 'verdict good', `${where}, ${name}: an honest page says: ${text}`);
  check((await page.locator('#steps li.bad').count()) === 0, `${where}, ${name}: a step fails`);
  const seconds = Number(await page.locator('#verdict').getAttribute('data-seconds'));
  check(seconds < MOST_SECONDS, `${where}, ${name}: checking took ${seconds} s`);
  check((await page.evaluate(() => performance.getEntriesByType('resource').length)) === 0, `${where}, ${name}: the page fetched something`);
  check((await page.locator('#selected tbody tr').count()) === (name === 'large' ? 200 : 60), `${where}, ${name}: not all seats are listed`);
  const warned = await page.locator('#foreseen').innerText();
  check(name === 'loose' ? warned.includes('how many numbers') : !warned.includes('how many numbers'), `${where}, ${name}: "${warned}"`);
  await page.close();
  return seconds;
}

/* By keyboard, with blanks and capitals; someone who is selected, someone who is not in the draw. */
async function checkLookUp(browser, where) {
  const page = await open(browser, join(folder, 'plain.html'));
  const known = read('plain.tickets').split('\n').filter(Boolean).slice(1).map(line => line.split(',')[1]);
  const selected = await page.locator('#selected tbody td:nth-child(2)').first().innerText();
  const place = await page.locator('#selected tbody td:nth-child(1)').first().innerText(); // 1 unless that one declined
  check(known.includes(selected), `${where}: a selected ticket is nobody's`);
  const ask = async text => { await page.fill('#ticket', text); await page.press('#ticket', 'Enter'); return page.locator('#found').innerText(); };
  const found = await ask(` ${selected.slice(0, 10).toUpperCase()}-${selected.slice(10)} `);
  check(found.includes('is selected') && found.includes(`place ${place} of`), `${where}: looking up the first ticket says: ${found}`);
  check((await ask('0'.repeat(20))).includes('not in the draw'), `${where}: a made-up ticket is found`);
  const [command, result] = (await page.locator('#byhand').evaluate(node => node.textContent)).split('\n');
  const repeated = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
  check(result.startsWith(repeated), `${where}: the ticket that is to be repeated by hand gives ${repeated}, not ${result}`);
  await page.close();
}

async function checkForgeries(browser, where) {
  for (const [what, name, change, sentence] of FORGERIES) {
    const path = join(folder, 'forged.html');
    writeFileSync(path, forge(read(`${name}.html`), change));
    const page = await open(browser, path), [kind, text] = await verdict(page);
    check(kind === 'verdict bad' && text.includes(sentence), `${where}: ${what} is not noticed, or not as such: ${text}`);
    await page.close();
  }
}

/* Even a page into which somebody put a picture from elsewhere asks for nothing: its own policy forbids it. */
async function checkNetwork(browser, where) {
  let asked = 0;
  const server = createServer((_, answer) => { asked++; answer.end(); });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const path = join(folder, 'spying.html');
  writeFileSync(path, read('plain.html').replace('<main>', `<main><img alt="" src="http://127.0.0.1:${server.address().port}/spy.png">`));
  const page = await browser.newPage();
  await page.goto(pathToFileURL(resolve(path)).href);
  await page.waitForSelector('#verdict.good');
  await page.waitForTimeout(300);
  check(asked === 0, `${where}: the page let a picture be fetched`);
  await page.close();
  server.close();
}

async function checkPaper(browser, where) {
  for (const [width, scheme] of [[1280, 'light'], [390, 'light'], [1280, 'dark']]) {
    const page = await open(browser, join(folder, 'whole.html'), { viewport: { width, height: 900 }, colorScheme: scheme });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= width, `${where}: the page is ${wide} pixels wide on a screen of ${width}`);
    if (directory) await page.screenshot({ path: join(directory, `draw-${width}-${scheme}.png`), fullPage: true });
    await page.emulateMedia({ media: 'print' });
    check(!await page.locator('#lookup').isVisible(), `${where}: the form is printed`);
    const cut = await page.evaluate(() => [...document.querySelectorAll('.scroll')].some(box => box.scrollHeight > box.clientHeight + 1));
    check(!cut, `${where}: a printed list is cut off`);
    await page.close();
  }
}

if (directory) mkdirSync(directory, { recursive: true });
for (const [where, type, options] of [['Chromium', playwright.chromium, CHROMIUM], ['Firefox', playwright.firefox, FIREFOX]]) {
  const browser = await type.launch(options), times = {};
  for (const name of ['plain', 'whole', 'loose', 'large']) times[name] = await checkHonest(browser, where, name);
  await checkLookUp(browser, where);
  await checkForgeries(browser, where);
  await checkNetwork(browser, where);
  if (where === 'Chromium') await checkPaper(browser, where);
  console.log(`${where} ${browser.version()}: ${FORGERIES.length} forgeries tried; 100,000 tickets in ${times.large} s`);
  await browser.close();
}
for (const failure of new Set(failures)) console.error(failure);
console.log(`the page of a draw: ${checks} checks, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
