import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { runBin } from './lib/run.mjs';
import { start } from './lib/start.mjs';

followLaunchers();
await buildOrExit();
const status = await runBin('tsc', ['-b', 'bench']);
if (status !== 0) process.exit(status);
await start('bench/dist/main.js');
