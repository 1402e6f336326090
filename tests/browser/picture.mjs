// The top of a report as a reader sees it first, for the documentation:
//
//     node picture.mjs REPORT.html PICTURE.png [HEIGHT [WIDTH]]
//
// Needs what check.mjs needs.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'picture.mjs'));
const { chromium } = require('playwright-core');

const [report, picture, height, width] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const page = await browser.newPage({ viewport: { width: Number(width ?? 1080), height: Number(height ?? 900) }, colorScheme: 'light' });
await page.goto(pathToFileURL(resolve(report)).href);
await page.screenshot({ path: picture });
await browser.close();
