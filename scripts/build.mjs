import { buildAll } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';

// The root is a package of the workspace too, so `turbo run build` runs this script as one of its tasks: it must not
// start turbo again.
if (process.env.TURBO_HASH !== undefined) process.exit(0);
followLaunchers();
process.exitCode = await buildAll({ quiet: false });
