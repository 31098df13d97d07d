import { createRequire } from 'node:module';

/**
 * Loads modules of the Appium that runs this plugin. It is Node's `require` and not `import`, because Appium adds
 * itself to NODE_PATH for its extensions, and `import` ignores NODE_PATH. A plugin that was installed from a folder, a
 * tarball or git can find Appium in no other way.
 */
const require = createRequire(import.meta.url);

type Support = typeof import('appium/support.js');

export const logger: Support['logger'] = require('appium/support.js').logger;

export const BasePlugin: new (...args: never[]) => object = require('appium/plugin.js').BasePlugin;

/** @returns the class of Appium's own driver, or undefined if this release of Appium keeps it elsewhere */
export function appiumDriver(): { readonly prototype: object } | undefined {
  try {
    return (require('appium/build/lib/appium.js') as { AppiumDriver?: { prototype: object } }).AppiumDriver;
  } catch {
    return undefined;
  }
}
