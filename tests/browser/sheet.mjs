// A report side by side as on a phone, on a phone in the dark, and on paper, for the documentation:
//
//     node sheet.mjs REPORT.html PICTURE.png
//
// Needs what check.mjs needs.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'sheet.mjs'));
const { chromium } = require('playwright-core');

const HEIGHT = 470; // of the picture; each look is scaled to it
const LOOKS = [
  { width: 390, height: 844, colorScheme: 'light', media: 'screen' },
  { width: 390, height: 844, colorScheme: 'dark', media: 'screen' },
  { width: 680, height: 962, colorScheme: 'light', media: 'print' },
];
const [report, picture] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const seen = [];
for (const { width, height, colorScheme, media } of LOOKS) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.emulateMedia({ media, colorScheme });
  await page.goto(pathToFileURL(resolve(report)).href);
  seen.push((await page.screenshot()).toString('base64'));
  await page.close();
}
const sheet = await browser.newPage({ viewport: { width: 850, height: HEIGHT + 24 } });
await sheet.setContent(`<body style="margin:12px;background:#c9ced4;display:flex;justify-content:space-between">${
  seen.map(png => `<img height="${HEIGHT}" style="border-radius:6px" src="data:image/png;base64,${png}">`).join('')}</body>`);
await sheet.screenshot({ path: picture });
await browser.close();
