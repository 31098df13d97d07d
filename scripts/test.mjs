import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { runBin } from './lib/run.mjs';

followLaunchers();
await buildOrExit();
process.exitCode = await runBin('vitest', ['run', ...process.argv.slice(2)]);
