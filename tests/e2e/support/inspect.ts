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
/** The narrowest supported screen. */
const PHONE = { width: 320, height: 640 };

/**
 * Inspects the current page in both themes and on a phone: axe finds nothing, nothing overflows horizontally, and a
 * picture of each is written as `<name>-<theme>-<width>.png`.
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
      // Colours do not depend on the width.
      if (viewport === PHONE && colorScheme === 'dark') continue;
      await expectAccessible(page, `${name}, ${colorScheme}, ${viewport.width} px`);
    }
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width, `${name} sticks out at ${viewport.width} px`).toBeLessThanOrEqual(viewport.width);
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

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
