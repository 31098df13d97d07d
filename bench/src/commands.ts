import { type AppiumUnderTest, startAppium } from './appium-server.ts';
import { checkAlone } from './check-alone.ts';
import { againstDeviceFarm } from './commands/against-device-farm.ts';
import { alternate, rotated } from './commands/alternate.ts';
import { median } from './load.ts';
import { quantile } from './pace.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';

const RESTARTS = sized({ short: 2, usual: 5, long: 12 });
const COMMANDS = sized({ short: 300, usual: 1500, long: 1500 });
const WARM_UP = sized({ short: 300, usual: 1000, long: 1000 });
const WAYS = [1, 4];
const SESSIONS = sized({ short: [10], usual: [20, 200], long: [20, 200] });

const NAMES = ['bare', 'control', 'gate'] as const;
type Name = (typeof NAMES)[number];
type Servers = Readonly<Record<Name, AppiumUnderTest>>;
type Times = Record<Name, number[]>;

/** Result of one restart, relative to bare Appium. */
interface Ratios {
  readonly throughput: Record<'gate' | 'control', number>;
  readonly p99: Record<'gate' | 'control', number>;
}

/**
 * Compares a cheap command with gate and credential check with bare Appium, and with a second bare Appium as control.
 * Each run starts all three servers again; then commands alternate strictly between them.
 */
export async function commandsBench(report: Report): Promise<void> {
  await checkAlone(report);
  report.begin(
    'Commands',
    'A cheap command with its credentials checked, compared with bare Appium, and with a second bare Appium as control; all are restarted for each run, then commands alternate strictly',
  );
  const measured = new Map<number, Ratios[]>(WAYS.map((atOnce) => [atOnce, []]));
  for (let restart = 0; restart < RESTARTS; restart++) {
    const servers = await startAll(restart);
    await alternate(servers, WARM_UP, 1);
    for (const [atOnce, ratios] of measured)
      ratios.push(ratiosOf(await alternate(servers, COMMANDS, atOnce)));
    await Promise.all(NAMES.map((name) => servers[name].stop()));
  }
  for (const [atOnce, ratios] of measured) {
    const name = `${atOnce} at a time`;
    report.add({
      what: `bare Appium again, ${name} (control)`,
      values: ratios.map(({ throughput }) => throughput.control),
      plot: { name: 'commands', label: `bare Appium again, ${name}` },
    });
    report.add({
      what: `with svc, ${name}`,
      values: ratios.map(({ throughput }) => throughput.gate),
      goal: { atLeast: atOnce === 1 ? 1.15 : 1.3 },
      plot: { name: 'commands', label: `with svc, ${name}`, isOurs: true },
    });
    report.add({
      what: `p99 of bare Appium again, ${name} (control)`,
      values: ratios.map(({ p99 }) => p99.control),
    });
    report.add({
      what: `p99 with svc, ${name}`,
      values: ratios.map(({ p99 }) => p99.gate),
      goal: { atMost: 1 },
    });
  }
  await moreSessions(report);
  await againstDeviceFarm(report);
}

/**
 * Measures a command while more and more sessions are open, with svc and on a bare Appium as control; commands alternate
 * strictly between the two.
 */
async function moreSessions(report: Report): Promise<void> {
  report.begin(
    'More sessions',
    `Time of a checked command to all open sessions in turn, compared with one session, ${COMMANDS} each; the control is a bare Appium with as many sessions`,
  );
  const servers = {
    bare: await startAppium({ plugin: false }),
    gate: await startAppium({ plugin: true }),
  };
  const measured = async () => {
    const times = await alternate(servers, COMMANDS, 1);
    return { bare: median(times.bare), gate: median(times.gate) };
  };
  await measured();
  const one = await measured();
  let open = 1;
  for (const sessions of SESSIONS) {
    for (; open < sessions; open++) await Promise.all([servers.bare.open(), servers.gate.open()]);
    await measured();
    const all = await measured();
    const [bare, gate] = [all.bare / one.bare, all.gate / one.gate];
    const label = `${sessions} sessions`;
    report.add({ what: `${label} on bare Appium (control)`, values: [bare] });
    report.add({ what: label, values: [gate], plot: { name: 'growth', label, isOurs: true } });
    report.add({
      what: `${label}, throughput of the control's`,
      values: [bare / gate],
      goal: { atLeast: 0.97 },
    });
  }
  await Promise.all([servers.bare.stop(), servers.gate.stop()]);
}

async function startAll(restart: number): Promise<Servers> {
  const started: Partial<Record<Name, AppiumUnderTest>> = {};
  for (const name of rotated(NAMES, restart)) started[name] = await startAppium({ plugin: name === 'gate' });
  return started as Servers;
}

function ratiosOf(times: Times): Ratios {
  const to = (of: (times: readonly number[]) => number) => (name: Name) => of(times[name]) / of(times.bare);
  const [time, p99] = [to(median), to((each) => quantile(each, 0.99))];
  return {
    throughput: { gate: 1 / time('gate'), control: 1 / time('control') },
    p99: { gate: p99('gate'), control: p99('control') },
  };
}
