import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { runBin } from './lib/run.mjs';

// `pnpm test` runs the default set, `pnpm test:slow` (`--slow`) the longer tests; see vitest.config.ts.
const args = process.argv.slice(2);
const slow = args[0] === '--slow';
// Three files of the slow set run at the same time on two cores, because many of them mostly wait for time limits.
const projects = slow ? ['--project', 'slow*', '--maxWorkers', '3'] : ['--project', '!slow*'];
followLaunchers();
await buildOrExit();
process.exitCode = await runBin('vitest', ['run', ...projects, ...args.slice(slow ? 1 : 0)]);
