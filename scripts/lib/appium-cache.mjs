import { rmSync } from 'node:fs';
import { root } from './run.mjs';

/**
 * Appium keeps what it read of each extension's package.json and looks again only when its home's own
 * dependencies change, so an edited `appium` block would go unseen.
 */
export function dropAppiumCache() {
  rmSync(`${root}apps/lab/node_modules/.cache/appium`, { recursive: true, force: true });
}
