// Opens the site from its folder, without a network, and searches it:
//
//     node check.mjs FOLDER
//
// Needs playwright-core (npm) and Chromium; CHROMIUM names another browser than /usr/bin/chromium.
import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'check.mjs'));
const { chromium } = require('playwright-core');

const folder = resolve(process.argv[2]);
const failures = [];
const check = (holds, what) => holds || failures.push(what);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.on('pageerror', error => failures.push(`script error: ${error.message}`));
page.on('request', request => {
  if (!/^(file|data|blob):/.test(request.url())) failures.push(`request: ${request.url()}`);
});

const pages = readdirSync(folder).filter(name => name.endsWith('.html') && name !== '404.html');
for (const name of pages) {
  await page.goto(pathToFileURL(join(folder, name)).href);
  check(await page.locator('h1').count() > 0, `${name} has no heading`);
  check(!(await page.locator('article').innerText()).includes('```'), `${name}: a block of code is shown as text`);
  const broken = await page.evaluate(() => [...document.images].filter(image => !image.naturalWidth).map(image => image.src));
  check(broken.length === 0, `${name}: pictures missing: ${broken.join(', ')}`);
}

await page.goto(pathToFileURL(join(folder, 'index.html')).href);
await page.locator('.md-search__input').click();
await page.keyboard.type('commitment');
await page.locator('.md-search-result__item').first().waitFor({ timeout: 60000 });
check(await page.locator('.md-search-result__item').count() > 1, 'the search finds nothing');

for (const width of [390, 1280]) {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(pathToFileURL(join(folder, 'index.html')).href);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= width, `the page is ${wide} pixels wide on a screen of ${width}`);
}
await browser.close();
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${pages.length} pages, ${failures.length} failures`);
process.exit(failures.length ? 1 : 0);
