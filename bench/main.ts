import { fileURLToPath } from 'node:url';
import { endOnClosedPipe } from '@svc/api';
import { commandsBench } from './src/commands.ts';
import { createsBench } from './src/creates.ts';
import { credentialsBench } from './src/credentials.ts';
import { driversBench } from './src/drivers.ts';
import { forwardAuthBench } from './src/forward-auth.ts';
import { gridBench } from './src/grid.ts';
import { hubBench } from './src/hub.ts';
import { liveBench } from './src/live.ts';
import { pagesBench } from './src/pages.ts';
import { readsBench } from './src/reads.ts';
import { recordingsBench } from './src/recordings.ts';
import { remoteAdbBench } from './src/remote-adb.ts';
import { Report } from './src/report/report.ts';
import { writeResults } from './src/report/write.ts';
import { signInBench } from './src/sign-in.ts';
import { startBench } from './src/start.ts';
import { walksBench } from './src/walks.ts';

/**
 * One function per subject. `pnpm bench <name> …` runs some of them; without names all run and write
 * `bench/results.md`.
 */
const benches: Readonly<Record<string, (report: Report) => Promise<void>>> = {
  commands: commandsBench,
  creates: createsBench,
  credentials: credentialsBench,
  drivers: driversBench,
  'forward-auth': forwardAuthBench,
  hub: hubBench,
  grid: gridBench,
  live: liveBench,
  pages: pagesBench,
  reads: readsBench,
  recordings: recordingsBench,
  'remote-adb': remoteAdbBench,
  'sign-in': signInBench,
  start: startBench,
  walks: walksBench,
};

endOnClosedPipe(() => process.exit(1));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Known are: ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
const report = new Report();
for (const [name, run] of Object.entries(benches)) {
  if (names.length === 0 || names.includes(name)) await run(report);
}
if (names.length === 0) {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  writeResults(report, folder);
  console.log(`\nwritten: ${folder}results.md`);
}
