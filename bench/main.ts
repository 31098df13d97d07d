import { endOnClosedPipe } from '@svc/api';
import { commandsBench } from './src/commands.ts';
import { credentialsBench } from './src/credentials.ts';
import { gridBench } from './src/grid.ts';
import { hubBench } from './src/hub.ts';
import { liveBench } from './src/live.ts';
import { pagesBench } from './src/pages.ts';
import { signInBench } from './src/sign-in.ts';
import { startBench } from './src/start.ts';

/** One function per subject; `pnpm bench <name> …` runs some, without names all. Each prints ratios. */
const benches: Readonly<Record<string, () => Promise<void>>> = {
  commands: commandsBench,
  credentials: credentialsBench,
  hub: hubBench,
  grid: gridBench,
  live: liveBench,
  pages: pagesBench,
  'sign-in': signInBench,
  start: startBench,
};

endOnClosedPipe(() => process.exit(1));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(benches)) {
  if (names.length === 0 || names.includes(name)) await run();
}
