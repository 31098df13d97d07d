import { type AppiumUnderTest, startAppium } from './appium-server.ts';
import { checkAlone } from './check-alone.ts';

/** `BENCH_SHORT=true`: a look, not a verdict. */
const SHORT = process.env.BENCH_SHORT === 'true';
const RESTARTS = SHORT ? 3 : 12;
const COMMANDS = SHORT ? 300 : 1500;
const WARM_UP = SHORT ? 300 : 1000;
const WAYS = [1, 4];

const NAMES = ['bare', 'control', 'gate'] as const;
type Name = (typeof NAMES)[number];
type Servers = Readonly<Record<Name, AppiumUnderTest>>;
type Times = Record<Name, number[]>;

/** Result of one restart: throughput relative to bare. */
interface Ratios {
  readonly gate: number;
  readonly control: number;
}

/**
 * A cheap command with the gate on and its credentials checked, against bare Appium, with a second
 * bare Appium as control. Each restart starts all three anew; then commands alternate strictly.
 */
export async function commandsBench(): Promise<void> {
  await checkAlone();
  const told = new Map<number, Ratios[]>(WAYS.map((atOnce) => [atOnce, []]));
  for (let restart = 0; restart < RESTARTS; restart++) {
    const servers = await startAll(restart);
    await alternate(servers, WARM_UP, 1);
    for (const [atOnce, ratios] of told) ratios.push(ratiosOf(await alternate(servers, COMMANDS, atOnce)));
    await Promise.all(NAMES.map((name) => servers[name].stop()));
  }
  for (const [atOnce, ratios] of told) report(atOnce, ratios);
}

/** In another order each time: who starts first has other memory and, at times, another core. */
async function startAll(restart: number): Promise<Servers> {
  const started: Partial<Record<Name, AppiumUnderTest>> = {};
  for (const name of rotated(restart)) started[name] = await startAppium({ plugin: name === 'gate' });
  return started as Servers;
}

function rotated(by: number): Name[] {
  return NAMES.map((_, index) => NAMES[(index + by) % NAMES.length] as Name);
}

/** `count` commands to each, `atOnce` in flight at one server at a time; milliseconds a turn. */
async function alternate(servers: Servers, count: number, atOnce: number): Promise<Times> {
  const times: Times = { bare: [], control: [], gate: [] };
  for (let turn = 0; turn * atOnce < count; turn++) {
    for (const name of rotated(turn)) {
      const began = performance.now();
      await Promise.all(Array.from({ length: atOnce }, () => servers[name].command()));
      times[name].push(performance.now() - began);
    }
  }
  return times;
}

function ratiosOf(times: Times): Ratios {
  const bare = median(times.bare);
  return { gate: bare / median(times.gate), control: bare / median(times.control) };
}

function report(atOnce: number, ratios: readonly Ratios[]): void {
  const gate = ratios.map((each) => each.gate);
  const control = ratios.map((each) => each.control);
  const spread = Math.max(...control) - Math.min(...control);
  console.log(
    `commands: checked against bare Appium, ${atOnce} at a time, ${ratios.length} restarts, ${COMMANDS} each`,
  );
  console.log(`  control  ${line(control)}  (another bare Appium; the noise)`);
  console.log(`  gate     ${line(gate)}`);
  console.log(`  median throughput: ${median(gate).toFixed(3)} of bare (wanted: at least 0.97)`);
  console.log(
    `  below bare by ${(1 - median(gate)).toFixed(3)}; control's spread ${spread.toFixed(3)} (wanted: within, at most 0.05 beyond)`,
  );
}

function line(values: readonly number[]): string {
  const all = values.map((value) => value.toFixed(3)).join(' ');
  return `median ${median(values).toFixed(3)}  ${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}  [${all}]`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
