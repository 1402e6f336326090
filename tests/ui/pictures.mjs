// The pictures of docs/guide.md and docs/ui.md: the story of a new user, as it is seen.
//
//     node pictures.mjs LINK FOLDER DIRECTORY
//
// FOLDER holds, of the demonstration, labelled.csv; labelled-later.csv of `demo --only-data --rows 80000` as later.csv; and
// candidates.csv of `--rows 20000` as pool.csv.  Needs what rooms.mjs needs.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mouse } from './hands.mjs';

const require = createRequire(join(process.cwd(), 'pictures.mjs'));
const { chromium } = require('playwright-core');
const [link, folder, directory] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 940, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' });
page.setDefaultTimeout(240000);
const hand = new Mouse(page);
const says = words => page.waitForFunction(text => document.getElementById('room').textContent.includes(text), words);
const picture = async (name, height, bottom = false) => {
  await page.setViewportSize({ width: 940, height });
  await page.evaluate(down => scrollTo(0, down ? document.body.scrollHeight : 0), bottom);
  await page.screenshot({ path: join(directory, `${name}.png`) });
  await page.setViewportSize({ width: 940, height: 800 });
};

await page.goto(link);
await says('What do we know');
await hand.tick(await page.$$eval('[name=labelled]', list => list.find(each => each.nextSibling.textContent.startsWith('labelled.csv')).id));
await hand.choose('sensitive-0', 'group');
await says('discloses by itself');
await hand.tick('use-admitted');
await page.waitForFunction(() => !document.querySelector('progress'));
await hand.go('tradeoff');
await page.waitForSelector('#budget');
await hand.turn('budget', 5);
await page.waitForFunction(() => document.querySelector('output[for=budget]').textContent === '0.30');
await page.waitForTimeout(1000); // the choice is saved, and the room drawn again
await hand.turn('yield', 2);
await page.waitForFunction(() => document.querySelector('output[for=yield]').textContent === '5\u00a0%');
await page.waitForTimeout(1000);
await picture('ui-tradeoff', 1060);
await hand.press('run-learn');
await says('The rule is made');
await hand.go('check');
await hand.choose('checked', 'later.csv');
await hand.press('run-audit');
await page.waitForSelector('.verdict');
await picture('ui-check', 800);
await hand.go('draw');
await hand.choose('pool', 'pool.csv');
await hand.choose('id', 'record');
await hand.press('run-key');
await hand.write('randomness', 'the lottery of 1 May');
await hand.press('run-commit');
await says('Committed: 150 seats');
await hand.write('randomness_value', '4 8 15 16 23 42');
await says("'4 8 15 16 23 42'");
await hand.press('run-select');
await says('Drawn: 150 seats');
const lines = readFileSync(join(folder, 'panel.csv'), 'utf8').split('\n');
await hand.write('declined_ids', lines.slice(1, 3).map(line => line.split(',')[0]).join(' '));
await hand.press('run-replace');
await says('1 round of declines: the panel is now');
await picture('ui-draw', 800, true);
await hand.go('publish');
await hand.press('run-publish');
await says('Made:');
await picture('ui-publish', 640);
console.log(`${hand.clicks} clicks`);
await browser.close();
