import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { runBin } from './lib/run.mjs';

followLaunchers();
await buildOrExit();
process.exitCode = await runBin('vitest', [
  'run',
  '--config',
  'tests/clients/vitest.config.ts',
  ...process.argv.slice(2),
]);
