import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Credentials, World } from '../../conformance/support/world.ts';
import type { Browsers, PageOptions } from './browser.ts';

/** Markup, quotes, a template and the end of a script, which must be shown as text everywhere. */
export const HOSTILE = `<img src=x onerror=alert(1)>"'\`\${1}</script>`;

/** Opens a page of the dashboard in a browser of a signed-in user. */
export async function openAs(
  browsers: Browsers,
  world: World,
  as: Credentials,
  path: string,
  options: PageOptions = {},
): Promise<Page> {
  const page = await browsers.page({ baseURL: world.url, cookie: as.cookie ?? '', ...options });
  await page.goto(`/svc/${path}`);
  return page;
}

/**
 * Waits for a row with this text.
 * @returns the row of the table
 */
export async function row(page: Page, table: string, text: string): Promise<Locator> {
  const found = page.getByRole('table', { name: table }).locator('tbody tr', { hasText: text });
  await found.first().waitFor();
  return found.first();
}

export async function toasted(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.toasts').getByText(text).first().waitFor();
}

/** Expects that no element was created from text. */
export async function expectOnlyText(page: Page): Promise<void> {
  expect(await page.locator('main img, main script, dialog img, dialog script').count()).toBe(0);
  await page.getByText(HOSTILE, { exact: false }).filter({ visible: true }).first().waitFor();
}
