import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { type AppiumUnderTest, startAppium } from '../appium-server.ts';
import { median } from '../load.ts';
import type { Report } from '../report/report.ts';
import { sized } from '../size.ts';
import { alternate, rotated } from './alternate.ts';
import { deviceFarm } from './device-farm.ts';
import { type DeviceFarmFolder, deviceFarmFolder, VERSION } from './device-farm-folder.ts';

const RESTARTS = sized({ short: 1, usual: 2, long: 6 });
const COMMANDS = sized({ short: 40, usual: 100, long: 400 });
const WARM_UP = sized({ short: 40, usual: 350, long: 1000 });
const WAYS = [1, 4];
const TITLE = 'Beside appium-device-farm';
const MEMORY = '/dev/shm';

/** With appium-device-farm, every command writes a row of a log and waits for the write. */
const WHERE: Readonly<Record<string, string>> = {
  [`appium-device-farm ${VERSION}`]: tmpdir(),
  ...(existsSync(MEMORY) && { [`appium-device-farm ${VERSION}, its database in memory`]: MEMORY }),
};
const BARE = 'bare Appium';
const OURS = 'with svc';

/** Compares svc with appium-device-farm, which checks nothing, if there is a folder to install it in. */
export async function againstDeviceFarm(report: Report): Promise<void> {
  const folder = process.env.BENCH_DEVICE_FARM;
  if (!folder) return report.begin(TITLE, 'Not measured, because BENCH_DEVICE_FARM names no folder for it');
  let farm: DeviceFarmFolder;
  try {
    farm = await tested(deviceFarmFolder(resolve(folder)));
  } catch (error) {
    return report.begin(TITLE, `Not measured, because it could not be installed: ${firstLine(error)}`);
  }
  report.begin(
    TITLE,
    `The same command against bare Appium, ${COMMANDS} each after ${WARM_UP} to warm up; svc checks its credentials, appium-device-farm asks for none and writes a row about it through Prisma's WebAssembly engine`,
  );
  const measured = new Map<string, number[]>();
  for (let restart = 0; restart < RESTARTS; restart++) {
    const servers = await startAll(farm, restart);
    await alternate(servers, WARM_UP, 1);
    for (const atOnce of WAYS) {
      const { [BARE]: bare = [], ...others } = await alternate(servers, COMMANDS, atOnce);
      for (const [name, times] of Object.entries(others)) {
        const what = `${name}, ${atOnce} at a time`;
        measured.set(what, [...(measured.get(what) ?? []), median(bare) / median(times)]);
      }
    }
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
  for (const [what, values] of measured) report.add({ what, values });
}

/** Tests the plugin first, because some of its packages are not pinned and a newer one may break it. */
async function tested(farm: DeviceFarmFolder): Promise<DeviceFarmFolder> {
  const server = await startAppium({ plugin: deviceFarm(farm, tmpdir()) });
  await server.command();
  await server.stop();
  return farm;
}

async function startAll(farm: DeviceFarmFolder, restart: number): Promise<Record<string, AppiumUnderTest>> {
  const starts: Record<string, () => Promise<AppiumUnderTest>> = {
    [BARE]: () => startAppium({ plugin: false }),
    [OURS]: () => startAppium({ plugin: true }),
  };
  for (const [name, parent] of Object.entries(WHERE)) {
    starts[name] = () => startAppium({ plugin: deviceFarm(farm, parent) });
  }
  const servers: Record<string, AppiumUnderTest> = {};
  for (const [name, start] of rotated(Object.entries(starts), restart)) servers[name] = await start();
  return servers;
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n', 1)[0] as string;
}
