// The five rooms in Chromium, from a labelled file to a published draw:
//
//     node rooms.mjs LINK FOLDER HAND WIDTH SCHEME SENSITIVE IGNORED ID [PICTURES]
//
// HAND is mouse or keyboard; IGNORED and ID are names of columns; screenshots go to PICTURES.  Needs playwright-core and
// axe-core (npm) in the working directory, and Chromium (CHROMIUM names another than /usr/bin/chromium).
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keyboard, Mouse } from './hands.mjs';
import { wordsFitTheFigures } from './words.mjs';

const require = createRequire(join(process.cwd(), 'rooms.mjs'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [link, folder, handName, widthText, scheme, sensitive, ignored, id, pictures] = process.argv.slice(2);
const width = Number(widthText), origin = new URL(link).origin;
const PATIENCE_MS = 240000, FIRST_PAINT_MS = 200, DIAL_MS = 100, MOST_CLICKS = 30;
const failures = [];
let closing = false; // then requests that are not answered are as they should be
const check = (holds, what) => holds || failures.push(what);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'] });
const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: 'reduce' });
const page = await context.newPage();
page.setDefaultTimeout(PATIENCE_MS);
page.on('console', message => closing || failures.push(`console: ${message.text()} ${message.location().url}`));
page.on('pageerror', error => failures.push(`script error: ${error.message}`));
context.on('request', request => {
  if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) failures.push(`asks elsewhere: ${request.url()}`);
});
const hand = handName === 'mouse' ? new Mouse(page) : new Keyboard(page);
const says = words => page.waitForFunction(text => document.getElementById('room').textContent.includes(text), words);

// A room as it is: nothing serious for axe, nothing wider than the screen, no name left out, a picture.
async function look(name) {
  await page.waitForFunction(() => !document.querySelector('progress'));
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  for (const violation of found.violations)
    if (['serious', 'critical', 'moderate'].includes(violation.impact))
      failures.push(`${name}: ${violation.id}: ${violation.help}: ${violation.nodes[0].html.slice(0, 160)}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= width, `${name}: ${wide} pixels wide on a screen of ${width}`);
  if (pictures) await page.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`), fullPage: true });
}

// The least of several: other programs run here too.
async function firstPaint() {
  let best = Infinity;
  for (let i = 0; i < 20 && (i < 3 || best >= FIRST_PAINT_MS); i++) {
    await page.reload();
    await page.waitForSelector('h1');
    best = Math.min(best, await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity));
  }
  check(best < FIRST_PAINT_MS, `first paint after ${best.toFixed(0)} ms`);
  return best;
}

// Every stop of both dials, from the event to the laid-out answer.
async function dialTimes() {
  const times = await page.evaluate(() => {
    const list = [];
    for (const id of ['budget', 'yield']) {
      const dial = document.getElementById(id), kept = dial.value;
      for (let stop = 0; stop <= Number(dial.max); stop++) {
        const before = document.querySelector('.facts').textContent, times = [];
        for (let i = 0; i < 3; i++) { // the least of three: other programs run here too
          dial.value = stop;
          const began = performance.now();
          dial.dispatchEvent(new Event('input'));
          document.body.getBoundingClientRect();
          times.push(performance.now() - began);
        }
        list.push([Math.min(...times), before !== document.querySelector('.facts').textContent]);
      }
      dial.value = kept;
      dial.dispatchEvent(new Event('input'));
    }
    return list;
  });
  check(times.some(([, changed]) => changed), 'a dial changes nothing');
  const worst = Math.max(...times.map(([time]) => time));
  check(worst < DIAL_MS, `a dial answers after ${worst.toFixed(0)} ms`);
  return worst;
}

async function dataRoom() {
  await says('What do we know');
  const file = await page.$$eval('[name=labelled]', list => list.find(each => each.nextSibling.textContent.startsWith('labelled.csv'))?.id);
  await hand.tick(file);
  await hand.choose('sensitive-0', sensitive);
  await says('discloses by itself');
  for (const name of ignored.split(',').filter(Boolean)) // unless the triage has left it out already
    if (await page.isChecked(`[id="use-${name}"]`)) await hand.tick(`use-${name}`);
  if (handName === 'keyboard') {
    await keepsAColumn();
    await ownShares();
  }
  await look('1-data');
}

// What the triage left out is used when it is switched on; the focus stays.
async function keepsAColumn() {
  for (const on of [true, false]) {
    await hand.tick(`use-${id}`);
    await page.waitForFunction(([name, there]) => document.getElementById(name).closest('tr').textContent.includes('switched on by you') === there, [`use-${id}`, on]);
    check(await page.isChecked(`[id="use-${id}"]`) === on, `the switch of ${id} is not ${on}`);
    check(await hand.focused() === `use-${id}`, 'the focus is lost when a column is switched');
  }
}

// Sliders sum to 100 %, whatever is moved; the table in the folder says the same.
async function ownShares() {
  await hand.tick('target-own');
  await hand.reach('share-0');
  const start = Number(await page.inputValue('#share-0'));
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  const goal = Number(await page.inputValue('#share-0'));
  check(goal === start + 15, `three steps of a slider lead from ${start} to ${goal}`);
  const lines = () => readFileSync(join(folder, 'target.csv'), 'utf8').trim().split('\n').slice(1);
  const shares = () => lines().map(line => Math.round(1000 * Number(line.split(',').at(-1))));
  for (const end = Date.now() + PATIENCE_MS; shares()[0] !== goal && Date.now() < end;) await page.waitForTimeout(50);
  await page.waitForFunction(value => { // the other sliders follow
    const said = [...document.querySelectorAll('output[for^=share-]')].map(each => parseFloat(each.textContent));
    return said[0] === value / 10 && Math.abs(said.reduce((sum, share) => sum + share, 0) - 100) < 0.05;
  }, goal);
  const kept = shares(), said = await page.$$eval('output[for^=share-]', list => list.map(each => parseFloat(each.textContent)));
  check(Math.abs(said.reduce((sum, share) => sum + share, 0) - 100) < 0.05, `shares sum to ${said}`);
  check(kept.length === said.length && kept.reduce((sum, share) => sum + share) === 1000, `target.csv sums to ${kept}`);
  const exact = await page.evaluate(async () => {
    const { shift } = await import('/room_data.js');
    let shares = ['a', 'b', 'c', 'd', 'e'].map(value => ({ attribute: 'x', value, share: 0.2 }));
    for (let i = 0; i < 500; i++) {
      shares = shift(shares, i % 5, ((i * 7919) % 1001) / 1000);
      const mille = shares.map(group => Math.round(1000 * group.share));
      if (mille.reduce((sum, share) => sum + share) !== 1000 || Math.min(...mille) < 0) return false;
    }
    return true;
  });
  check(exact, 'shares do not always sum to 1');
}

async function tradeoffRoom() {
  await hand.go('tradeoff');
  await page.waitForSelector('#budget');
  const worst = await dialTimes();
  const before = await page.textContent('.facts');
  await hand.turn('budget', 5);
  await page.waitForFunction(text => document.querySelector('.facts').textContent !== text, before);
  check(await page.textContent('output[for=budget]') === '0.30', 'the dial does not say where it stands');
  await hand.press('run-learn');
  await says('The rule is made');
  await look('2-tradeoff');
  return worst;
}

async function checkRoom() {
  await hand.go('check');
  await hand.choose('checked', 'later.csv');
  await hand.press('run-audit');
  await page.waitForSelector('.verdict');
  await look('3-check');
}

async function drawRoom() {
  await hand.go('draw');
  await hand.choose('pool', 'pool.csv');
  await hand.choose('id', id);
  await hand.press('run-key');
  await hand.write('randomness', 'the lottery of 1 May');
  await hand.press('run-commit');
  await says('Committed: 150 seats and 60 alternates');
  await hand.write('randomness_value', '4 8 15 16 23 42');
  await says("'4 8 15 16 23 42'");
  await hand.press('run-select');
  await says('Drawn: 150 seats and 60 alternates');
  const place = readFileSync(join(folder, 'panel.csv'), 'utf8').split('\n'), at = place[0].split(',').indexOf(id);
  await hand.write('declined_ids', place.slice(1, 3).map(line => line.split(',')[at]).join(' '));
  await hand.press('run-replace');
  await says('1 round of declines: the panel is now in panel-2.csv');
  await hand.press('run-verify');
  await says('Verified:');
  await look('4-draw');
}

async function publishRoom() {
  await hand.go('publish');
  await hand.press('run-publish');
  await says('Made:');
  const clicks = hand.clicks;
  await hand.press('run-export');
  await says('gives the same decisions');
  await hand.press('run-show');
  await page.waitForSelector('pre.words');
  await look('5-publish');
  return clicks;
}

// The public page in its box: it recomputes the draw without our cookie, origin or network.
async function publicPage() {
  const public_page = await context.newPage();
  public_page.on('pageerror', error => failures.push(`public page: ${error.message}`));
  await public_page.goto(`${origin}/files/draw.html`);
  await public_page.waitForFunction(() => /✓|verified|same|holds/i.test(document.body.textContent));
  const inside = await public_page.evaluate(() => [window.origin, (() => { try { return document.cookie; } catch { return 'no cookie'; } })()]);
  check(inside[0] === 'null' && inside[1] === 'no cookie', `the public page is not in its box: ${inside}`);
  if (pictures && width > 1000) await public_page.screenshot({ path: join(pictures, `6-public-${scheme}.png`) });
  await public_page.close();
}

// Opening the folder again goes on; another tab sees what this one chose.
async function goesOn() {
  await page.goto(`${origin}/#tradeoff`);
  await page.reload();
  await says('The rule is made');
  const other = await context.newPage();
  await other.goto(`${origin}/#draw`);
  await other.waitForFunction(() => document.getElementById('room').textContent.includes('Drawn: 150 seats'));
  await page.evaluate(() => document.getElementById('publishable').click());
  await other.goto(`${origin}/#tradeoff`);
  await other.waitForFunction(() => document.getElementById('publishable')?.checked);
  await other.close();
}

// The page's own button ends the program, and the page says so.
async function closes() {
  closing = true;
  await hand.press('quit');
  await says('The program has ended.');
}

try {
  await page.goto(link);
  await page.waitForURL(`${origin}/`);
  const paint = await firstPaint();
  await dataRoom();
  const worst = await tradeoffRoom();
  await checkRoom();
  await drawRoom();
  const clicks = await publishRoom();
  await publicPage();
  await goesOn();
  await wordsFitTheFigures(page, check);
  await closes();
  if (handName === 'mouse') check(clicks < MOST_CLICKS, `${clicks} clicks`);
  console.log(`${handName} ${width} ${scheme}: ${handName === 'mouse' ? `${clicks} clicks, ` : ''}first paint ${paint.toFixed(0)} ms, ` +
    `dial ${worst.toFixed(1)} ms`);
} catch (error) {
  failures.push(String(error).split('\n')[0] + ' ' + String(error.stack).split('\n').find(line => line.includes('rooms.mjs')));
  if (pictures) await page.screenshot({ path: join(pictures, `failed-${handName}-${width}.png`), fullPage: true }).catch(() => {});
}
await browser.close();
for (const failure of new Set(failures)) console.error(`${handName} ${width} ${scheme}: ${failure}`);
process.exit(failures.length ? 1 : 0);
