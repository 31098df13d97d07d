import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Folder for pictures to look at after a run; `TEST_SCREENS` names another one. */
const FOLDER =
  process.env.TEST_SCREENS ?? fileURLToPath(new URL('../../../.reports/screens/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const WIDE = { width: 1280, height: 800 };
/** The narrowest screen that the pages support. */
const PHONE = { width: 320, height: 640 };

/**
 * Inspects the current page in both themes and on a phone. Expects that axe finds no problem and that nothing overflows
 * horizontally. Writes a picture of each as `<name>-<theme>-<width>.png`.
 */
export async function inspect(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const viewport of [WIDE, PHONE]) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({
        path: join(FOLDER, `${name}-${colorScheme}-${viewport.width}.png`),
        fullPage: true,
      });
      // The colours do not depend on the width, so the dark theme is not inspected on the phone.
      if (viewport === PHONE && colorScheme === 'dark') continue;
      await expectAccessible(page, `${name}, ${colorScheme}, ${viewport.width} px`);
    }
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width, `${name} sticks out at ${viewport.width} px`).toBeLessThanOrEqual(viewport.width);
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/**
 * Expects that no word is broken inside. A word is a run of letters and digits; a run of more than 24 is an id or a
 * secret, which may be broken.
 */
export async function expectWholeWords(page: Page, what = page.url()): Promise<void> {
  const broken = (await page.evaluate(BROKEN_WORDS)) as string[];
  expect(broken, `words broken inside: ${what}\n${broken.join('\n')}`).toEqual([]);
}

const BROKEN_WORDS = `(() => {
  const broken = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.checkVisibility?.() === false) continue;
    for (const { 0: word, index } of node.data.matchAll(/(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}]{2,24}(?![\\p{L}\\p{N}])/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word + ' in: ' + node.data.slice(0, 80));
    }
  }
  return broken;
})()`;

/**
 * Opens each dialog of a page by the buttons in its headings and expects that the focus is in the first field, or in the
 * content if the dialog has no field.
 */
export async function expectDialogsFocus(page: Page): Promise<void> {
  const buttons = page.locator('main .page-actions button:visible');
  for (let at = 0; at < (await buttons.count()); at += 1) {
    const button = buttons.nth(at);
    const name = await button.textContent();
    await button.click();
    // A dialog opens after the page has been painted.
    await page.evaluate(PAINTED_TWICE);
    const dialog = page.locator('dialog[open]');
    if ((await dialog.count()) === 0) continue;
    expect(await page.evaluate(IS_FOCUSED), `focus of the dialog of ${name}`).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  }
}

const PAINTED_TWICE = `new Promise((painted) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(painted))))`;

const IS_FOCUSED = `(() => {
  const dialog = document.querySelector('dialog[open]');
  const first = dialog.querySelector('input:enabled:not([type=hidden]), select:enabled, textarea:enabled');
  const focused = document.activeElement;
  return first === null ? dialog.contains(focused) && !focused.closest('.dialog-head') : focused === first;
})()`;

/** Runs axe over everything that is shown. */
export async function expectAccessible(page: Page, what = page.url()): Promise<void> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  )) as AxeResults;
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map(({ html }) => html.slice(0, 160)),
  }));
  expect(found, what).toEqual([]);
}
