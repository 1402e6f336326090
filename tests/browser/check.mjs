// Opens a report as a reader would and checks that it works:
//
//     node check.mjs REPORT.html [DIRECTORY]
//
// Screenshots at 1280 and 390 pixels, light and dark, go to DIRECTORY.  Needs playwright-core (npm) and Chromium;
// CHROMIUM names another browser than /usr/bin/chromium, NODE_PATH or the working directory holds the module.
import { createRequire } from 'node:module';
import { mkdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'check.mjs'));
const { chromium } = require('playwright-core');

const SIZE_MAX = 2 * 1024 * 1024;
const WIDTHS = [1280, 390];
const SCHEMES = ['light', 'dark'];
/* A broad font and a narrow one, which scripts/install-packages engines installs: figures leave room for either, and for
 * whatever a reader's machine takes for sans-serif. */
const FONTS = ['DejaVu Sans', 'Liberation Sans'];

const [page_path, directory] = process.argv.slice(2);
if (!page_path) {
  console.error('usage: node check.mjs REPORT.html [DIRECTORY]');
  process.exit(2);
}
const failures = [];
const check = (holds, what) => holds || failures.push(what);

/* Whatever the page says to the console or asks of the network, apart from itself. */
function listen(page, url) {
  page.on('console', message => failures.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', error => failures.push(`script error: ${error.message}`));
  page.on('dialog', dialog => { failures.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', request => {
    if (request.url() !== url && !request.url().startsWith('data:')) failures.push(`request: ${request.url()}`);
  });
}

const fontOf = page => page.evaluate(() => getComputedStyle(document.querySelector('svg') ?? document.body).fontFamily);

/* The font is there, and not another in its place: then it is as broad before either fallback. */
async function setFont(page, font) {
  const there = await page.evaluate(name => {
    const pen = document.createElement('canvas').getContext('2d');
    const breadth = family => { pen.font = `40px ${family}`; return pen.measureText('Millimetre, 0.25').width; };
    return breadth(`"${name}", monospace`) === breadth(`"${name}", serif`);
  }, font);
  check(there, `the font ${font} is not installed`);
  await page.addStyleTag({ content: `* { font-family: "${font}" !important; }` });
}

async function checkLayout(page, width) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= width, `the page is ${wide} pixels wide on a screen of ${width}`);
  const clipped = await page.evaluate(() => [...document.querySelectorAll('.panels svg')].flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(text => {
      const box = text.getBoundingClientRect();
      return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
    }).map(text => text.textContent);
  }));
  check(clipped.length === 0, `text outside its figure: ${clipped.join(', ')} (${await fontOf(page)})`);
  const overlapping = await page.evaluate(() => [...document.querySelectorAll('.panels svg')].flatMap(svg => {
    const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    return texts.flatMap(([words, a], i) => texts.slice(i + 1).filter(([, b]) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3).map(([other]) => `"${words}" and "${other}"`));
  }));
  check(overlapping.length === 0, `labels overlap: ${overlapping.join('; ')} (${await fontOf(page)})`);
}

async function checkPointer(page) {
  const mark = page.locator('.figure').first().locator('.pt').last();
  await mark.scrollIntoViewIfNeeded();
  await page.waitForTimeout(150);
  await mark.hover({ force: true });
  const tip = page.locator('#tip');
  check(await tip.isVisible(), 'no tooltip on hover');
  const words = (await mark.getAttribute('aria-label')).replaceAll(' · ', '');
  check(await tip.textContent() === words, 'the tooltip does not say what the mark says');
}

async function checkKeyboard(page) {
  const series = page.locator('.series:has(.pt:nth-of-type(2))').first();
  if (await series.count() === 0) return;
  const marks = series.locator('.pt');
  await marks.first().focus();
  check(await page.locator('#tip').isVisible(), 'no tooltip on focus');
  const before = await page.locator('#tip').textContent();
  await page.keyboard.press('ArrowRight');
  const after = await page.locator('#tip').textContent();
  check(before !== after, 'the arrow keys do not move along a series');
  check(await page.locator('.pt:focus').count() === 1, 'no mark has the focus');
  await page.keyboard.press('Escape');
  check(!await page.locator('#tip').isVisible(), 'the tooltip stays after Escape');
}

async function checkToggles(page) {
  const button = page.locator('.legend button').first();
  if (await button.count() === 0) return;
  const figure = page.locator('.figure', { has: button }).first();
  const drawn = figure.locator('.panels .series[data-series="0"]').first();
  check(await drawn.isVisible(), 'the first series is not drawn');
  await button.click();
  check(await button.getAttribute('aria-pressed') === 'false', 'a switched-off series is still pressed');
  check(!await drawn.isVisible(), 'a switched-off series is still drawn');
  await button.click();
  check(await drawn.isVisible(), 'a series does not come back');
}

async function checkTheme(page) {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  await page.locator('#theme').click();
  check(await background() !== before, 'the theme button does nothing');
  await page.locator('#theme').click();
  check(await background() === before, 'the theme button does not go back');
}

async function checkTables(page) {
  for (const details of await page.locator('details').all()) {
    await details.locator('summary').click();
    check(await details.locator('tbody tr').count() > 0, 'a table has no rows');
    await details.locator('summary').click();
  }
}

async function look(browser, url, width, scheme) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  listen(page, url);
  await page.goto(url);
  if (directory) {
    const name = `${basename(page_path, '.html')}-${width}-${scheme}.png`;
    await page.screenshot({ path: join(directory, name), fullPage: true });
  }
  await checkLayout(page, width);
  for (const font of FONTS) {
    await setFont(page, font);
    await checkLayout(page, width);
  }
  if (await page.locator('.pt').count() > 0) {
    await checkPointer(page);
    await checkKeyboard(page);
  }
  await checkToggles(page);
  await checkTheme(page);
  await checkTables(page);
  await page.close();
}

check(statSync(page_path).size < SIZE_MAX, 'the page is larger than 2 MB');
if (directory) mkdirSync(directory, { recursive: true });
const url = pathToFileURL(resolve(page_path)).href;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'],
});
for (const width of WIDTHS) for (const scheme of SCHEMES) await look(browser, url, width, scheme);
await browser.close();

for (const failure of new Set(failures)) console.error(`${page_path}: ${failure}`);
console.log(`${basename(page_path)}: ${failures.length === 0 ? 'works' : `${new Set(failures).size} failures`}`);
process.exit(failures.length === 0 ? 0 : 1);
