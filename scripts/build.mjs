import { buildAll } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';

followLaunchers();
process.exitCode = await buildAll({ quiet: false });
