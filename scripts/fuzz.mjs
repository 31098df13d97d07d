import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { runBin } from './lib/run.mjs';

// Runs the fuzz tests for a long time with a new seed. The seed is printed, so that the run can be repeated.
const env = {
  FUZZ_SEED: process.env.FUZZ_SEED ?? String(Date.now() % 2 ** 32),
  FUZZ_TARGETS: process.env.FUZZ_TARGETS ?? '100000',
  FUZZ_CREATES: process.env.FUZZ_CREATES ?? '20000',
};
followLaunchers();
await buildOrExit();
process.exitCode = await runBin('vitest', ['run', '--project', 'slow', 'tests/fuzz'], { env });
