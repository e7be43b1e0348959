// Drives a browser for page_verdicts.py: node page_verdicts.mjs NODE_MODULES BROWSER EXECUTABLE ADDRESS
// Prints a line when a step begins and one when it has ended.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, browser, executablePath, address] = process.argv.slice(2);
const script = path.resolve(modules, 'puppeteer-core/lib/esm/puppeteer/puppeteer-core.js');
const { default: puppeteer } = await import(pathToFileURL(script));

const LESSON = 'modules/fused_softmax/find_the_bug.html';
const program = (index) => `__global__ void copy(const float* x, float* y) { y[threadIdx.x] = x[${index}]; }\n`;

const opened = await puppeteer.launch({ browser, executablePath, headless: true, args: browser === 'chrome' ? ['--no-sandbox'] : [] });
const page = await opened.newPage();
page.setDefaultTimeout(280_000);
async function ended() {
  await page.waitForFunction(() => document.querySelector('.kernel')?.getAttribute('aria-busy') === 'false');
  const status = await page.$eval('.kernel-status', (element) => element.textContent);
  if (!status.startsWith('Done')) throw new Error(status);
}
async function write(text) {
  await page.click('.cm-content');
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type(text);
}
const press = (selector) => page.evaluate((name) => document.querySelector(name).click(), selector);

async function step(name, work) {
  console.log(JSON.stringify({ begins: name }));
  await work();
  console.log(JSON.stringify({ ended: name }));
}

await step("first visit to a lesson's kernel's verdict", async () => {
  await page.goto(`${address}${LESSON}`);
  await page.waitForSelector('.kernel-start');
  await press('.kernel-start');
  await page.waitForSelector('.kernel[aria-busy=true]');
  await ended();
});
await page.goto(`${address}playground.html`);
await page.waitForSelector('.kernel .cm-content');
await write(program('threadIdx.x'));
const run = async () => {
  await press('.kernel-tools button');
  await ended();
};
await step('first program to verdict', run);
for (const number of [1, 2, 3]) {
  await write(program(`threadIdx.x + ${number}`));
  await step(`edit ${number} to verdict`, run);
}
await opened.close();
