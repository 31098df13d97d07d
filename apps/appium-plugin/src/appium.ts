import { createRequire } from 'node:module';

/**
 * What this plugin uses of the Appium that loads it. Required, not imported: Appium puts itself on NODE_PATH for its
 * extensions, which `import` does not look at, and a plugin that was installed from a folder, a tarball or git has no
 * other way to it.
 */
const require = createRequire(import.meta.url);

type Support = typeof import('appium/support.js');

export const logger: Support['logger'] = require('appium/support.js').logger;

export const BasePlugin: new (...args: never[]) => object = require('appium/plugin.js').BasePlugin;
