import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AndroidPhones } from './phones/android/android-phones.ts';
import { IPhones } from './phones/apple/iphones.ts';
import { startPhoneControl } from './phones/control.ts';
import { type DriverName, installedDriver, isDriverInstalled } from './phones/installed-driver.ts';
import {
  ANDROID_12,
  ANDROID_14,
  ANDROID_TCP,
  emulator,
  IPHONE_13,
  IPHONE_15,
} from './phones/sample-phones.ts';

/** Debian's package `adb` has this folder. */
const ANDROID_HOME = '/usr/lib/android-sdk';

/** Drivers of the lab. That of Espresso is not among them, because it needs the Android SDK. */
const LAB_DRIVERS = ['appium-uiautomator2-driver', 'appium-xcuitest-driver'] as const;

export interface ScriptedLab {
  /** Environment of a server that uses the phones. Variables that are set already keep their value. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders of the drivers, by the names of their packages. */
  readonly drivers: Readonly<Partial<Record<DriverName, string>>>;
  /** Lines for the person who started the lab. */
  readonly notes: readonly string[];
}

/** Starts the scripted phones of `pnpm dev --phones`, and installs the drivers for them. */
export async function startScriptedLab(): Promise<ScriptedLab> {
  const missing = LAB_DRIVERS.filter((name) => !isDriverInstalled(name));
  if (missing.length > 0) console.log(`svc: installing ${missing.join(' and ')} from npm, once (180 MB)`);
  const drivers = Object.fromEntries(LAB_DRIVERS.map((name) => [name, installedDriver(name)]));
  const android = await AndroidPhones.start({
    phones: [ANDROID_12, ANDROID_14, ANDROID_TCP, await emulator()],
  });
  const apple = await IPhones.start({ phones: [IPHONE_13, IPHONE_15], areAgentsRunning: false });
  const { url } = await startPhoneControl(android, apple);
  process.once('exit', () => apple.removeFiles());
  const notes = [
    ...android.all.map(({ serial, facts }) => `${serial.padEnd(28)}Android ${facts.release}`),
    ...apple.all.map(({ udid, facts }) => `${udid.padEnd(28)}iOS ${facts.osVersion}, ${facts.name}`),
    `unplug, crash and more: curl ${url} lists the actions`,
  ];
  if (!isOnPath('adb')) notes.push('Sessions on Android phones need the program adb, which is not installed');
  return {
    env: {
      SVC_ADB: `127.0.0.1:${android.adb.port}`,
      SVC_IOS: 'true',
      SVC_IOS_WDA: 'true',
      SVC_LAB_DEVICES: '0',
      ANDROID_HOME,
      ...apple.env,
    },
    drivers,
    notes,
  };
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
