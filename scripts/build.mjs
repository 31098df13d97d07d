import { buildAll } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';

// The root is a package of the workspace too, so `turbo run build` also runs this script as a task, which must not
// start turbo again.
if (process.env.TURBO_HASH !== undefined) process.exit(0);
followLaunchers();
process.exitCode = await buildAll({ quiet: false });
