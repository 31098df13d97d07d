import { rmSync } from 'node:fs';
import { root } from './run.mjs';

/**
 * Removes Appium's cache of the extensions' package.json files. Appium updates it only when the dependencies of its
 * home change, so it would miss a changed `appium` block.
 */
export function dropAppiumCache() {
  rmSync(`${root}apps/lab/node_modules/.cache/appium`, { recursive: true, force: true });
}
