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
