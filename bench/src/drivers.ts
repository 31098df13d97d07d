import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANDROID_14, AndroidPhones, installedDriver } from '@svc/lab/phones';
import { type AppiumUnderTest, startAppium } from './appium-server.ts';
import { alternate, rotated } from './commands/alternate.ts';
import { median } from './load.ts';
import type { Report } from './report/report.ts';
import { sized } from './size.ts';
import { packagedHome } from './start/packaged-home.ts';

const STARTS = sized({ short: 4, usual: 15, long: 40 });
const RESTARTS = sized({ short: 1, usual: 3, long: 6 });
const COMMANDS = sized({ short: 100, usual: 600, long: 1500 });
const WARM_UP = sized({ short: 100, usual: 300, long: 300 });
const ANDROID_HOME = process.env.ANDROID_HOME ?? '/usr/lib/android-sdk';
const TITLE = 'The UiAutomator2 driver';
const DRIVER = 'appium-uiautomator2-driver';

const NAMES = ['bare', 'control', 'svc'] as const;
type Name = (typeof NAMES)[number];
type Times = Record<Name, number[]>;

/** Appium with a scripted phone of its own. */
interface PhoneServer {
  readonly appium: AppiumUnderTest;
  stop(): Promise<void>;
}

/**
 * Compares the start of a session and a command through the unmodified UiAutomator2 driver with bare Appium, and with a
 * second bare Appium as control. Needs Debian's package `adb`, and installs the driver from npm.
 */
export async function driversBench(report: Report): Promise<void> {
  if (!existsSync(join(ANDROID_HOME, 'platform-tools', 'adb')))
    return report.begin(TITLE, 'Not measured, because the driver needs `adb`: `apt-get install adb`');
  report.begin(
    TITLE,
    'Sessions and commands on a scripted phone, compared with bare Appium, and with a second bare Appium as control; they alternate strictly',
  );
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const home = packagedHome(folder, { [DRIVER]: installedDriver(DRIVER) });
  const starts: Record<Exclude<Name, 'bare'>, number[]> = { control: [], svc: [] };
  const commands: Record<Exclude<Name, 'bare'>, number[]> = { control: [], svc: [] };
  for (let restart = 0; restart < RESTARTS; restart++) {
    const servers = await startAll(home, restart);
    const started = await startTimes(servers);
    await alternate(appiums(servers), WARM_UP, 1);
    const commanded = await alternate(appiums(servers), COMMANDS, 1);
    for (const name of ['control', 'svc'] as const) {
      starts[name].push(median(started[name]) / median(started.bare));
      commands[name].push(median(commanded[name]) / median(commanded.bare));
    }
    await Promise.all(NAMES.map((name) => servers[name].stop()));
  }
  rmSync(folder, { recursive: true, force: true });
  report.add({ what: 'start of a session on bare Appium again (control)', values: starts.control });
  report.add({ what: 'start of a session with svc', values: starts.svc, goal: { atMost: 1.05 } });
  report.add({ what: 'command on bare Appium again (control)', values: commands.control });
  report.add({ what: 'command with svc', values: commands.svc, goal: { atMost: 1.05 } });
}

async function startAll(home: string, restart: number): Promise<Record<Name, PhoneServer>> {
  const started: Partial<Record<Name, PhoneServer>> = {};
  for (const name of rotated(NAMES, restart)) started[name] = await startOne(home, name === 'svc');
  return started as Record<Name, PhoneServer>;
}

async function startOne(home: string, plugin: boolean): Promise<PhoneServer> {
  const phones = await AndroidPhones.start({ phones: [ANDROID_14] });
  const { port } = phones.adb;
  const appium = await startAppium({
    plugin,
    env: { APPIUM_HOME: home, ANDROID_HOME, SVC_ADB: `127.0.0.1:${port}`, SVC_DEVICES: '[]' },
    capabilities: {
      platformName: 'Android',
      'appium:automationName': 'UiAutomator2',
      'appium:deviceName': undefined,
      'appium:app': undefined,
      'appium:newCommandTimeout': 0,
      // With svc, the lab decides on both.
      ...(plugin ? {} : { 'appium:udid': ANDROID_14.serial, 'appium:adbPort': port }),
    },
    commandPath: '/window/rect',
  });
  return {
    appium,
    stop: async () => {
      await appium.stop();
      await phones.stop();
    },
  };
}

function appiums(servers: Readonly<Record<Name, PhoneServer>>): Record<Name, AppiumUnderTest> {
  return { bare: servers.bare.appium, control: servers.control.appium, svc: servers.svc.appium };
}

/** @returns milliseconds of each create-session request; at any time only one server creates a session */
async function startTimes(servers: Readonly<Record<Name, PhoneServer>>): Promise<Times> {
  const times: Times = { bare: [], control: [], svc: [] };
  // The first start of each server installs the driver's apps on its phone.
  for (const name of NAMES) await servers[name].appium.reopen();
  for (let turn = 0; turn < STARTS; turn++)
    for (const name of rotated(NAMES, turn)) times[name].push(await servers[name].appium.reopen());
  return times;
}
