import { buildOrExit } from './lib/build.mjs';
import { followLaunchers } from './lib/launcher.mjs';
import { runBin } from './lib/run.mjs';

// `pnpm test` runs the default set, `pnpm test:slow` (`--slow`) the longer tests; see vitest.config.ts.
const args = process.argv.slice(2);
const slow = args[0] === '--slow';
const projects = slow ? ['--project', 'slow*'] : ['--project', '!slow*'];
followLaunchers();
await buildOrExit();
process.exitCode = await runBin('vitest', ['run', ...projects, ...args.slice(slow ? 1 : 0)]);
