import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { start } from './lib/start.mjs';

/** Prints to standard error, because standard output begins with Appium's log. */
const report = (line) => process.stderr.write(`svc: ${line}\n`);

followLaunchers();
report('building the lab and starting it; the first start takes up to a minute, later ones some seconds');
await buildOrExit(report);
report('starting Appium with four phones');
await start('apps/lab/dist/main.js');
