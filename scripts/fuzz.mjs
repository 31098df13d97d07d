import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { runBin } from './lib/run.mjs';

// The long run of the fuzz tests, with a new seed each time; the seed is printed, so a run can be repeated.
const env = {
  FUZZ_SEED: process.env.FUZZ_SEED ?? String(Date.now() % 2 ** 32),
  FUZZ_TARGETS: process.env.FUZZ_TARGETS ?? '100000',
  FUZZ_CREATES: process.env.FUZZ_CREATES ?? '20000',
};
followLaunchers();
await buildOrExit();
process.exitCode = await runBin('vitest', ['run', '--project', 'slow', 'tests/fuzz'], { env });
