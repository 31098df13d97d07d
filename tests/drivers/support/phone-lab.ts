import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  AndroidPhones,
  type DriverName,
  type IPhone,
  type IPhoneFacts,
  IPhones,
  installedDriver,
  type PluggedFacts,
} from '@svc/lab/phones';
import { type AppiumOptions, startAppium } from '../../support/appium.ts';
import type { RunningProcess, RunningServer } from '../../support/lab.ts';

/**
 * Appium with the plugin, the unmodified drivers and scripted phones.
 *
 *     const lab = await startPhoneLab({ phones: [ANDROID_12, ANDROID_14] });
 *     const created = await createSession(lab.url, undefined, { capabilities: lab.capabilities });
 *     lab.phones.phone(ANDROID_14.serial).typed; // what was typed on the phone
 *     lab.phones.unplug(ANDROID_12.serial);
 *     await lab.stop();
 *
 * The first call installs the drivers from npm into a cache, so that such a test belongs into a `.slow.test.ts`.
 */
export interface PhoneLab extends RunningServer {
  readonly phones: AndroidPhones;
  readonly iPhones: IPhones;
  /** Capabilities of a session on any of the Android phones. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Capabilities of a session on any of the iPhones. */
  readonly appleCapabilities: Readonly<Record<string, unknown>>;
}

interface PhoneLabOptions extends Pick<AppiumOptions, 'env' | 'args' | 'plugins' | 'dataDir'> {
  readonly phones?: readonly PluggedFacts[];
  /** Driver of the Android phones; by default UiAutomator2. */
  readonly driver?: DriverName;
  /** iPhones, whose WebDriverAgents run and are listed in `SVC_DEVICES`. */
  readonly iPhones?: readonly IPhoneFacts[];
}

/**
 * Starts Appium with the plugin and the UiAutomator2 driver for the phones of an adb server that the test has started.
 */
export function startLabOnAdb(adb: { readonly port: number }): Promise<RunningProcess & RunningServer> {
  return startAppium({
    installed: installedAs('appium-uiautomator2-driver'),
    env: { SVC_ADB: `127.0.0.1:${adb.port}`, ANDROID_HOME: androidHome(), SVC_DEVICES: '[]' },
  });
}

export async function startPhoneLab({
  phones: facts = [],
  driver = 'appium-uiautomator2-driver',
  iPhones: appleFacts = [],
  env,
  ...options
}: PhoneLabOptions): Promise<PhoneLab> {
  const installed = {
    ...(facts.length > 0 ? installedAs(driver) : {}),
    ...(appleFacts.length > 0 ? installedAs('appium-xcuitest-driver') : {}),
  };
  const phones = await AndroidPhones.start({ phones: facts });
  const iPhones = await IPhones.start({ phones: appleFacts });
  const appium: RunningProcess & RunningServer = await startAppium({
    ...options,
    installed,
    env: {
      ...(facts.length > 0 ? { SVC_ADB: `127.0.0.1:${phones.adb.port}`, ANDROID_HOME: androidHome() } : {}),
      ...(appleFacts.length > 0 ? { SVC_IOS: 'true', ...iPhones.env } : {}),
      SVC_DEVICES: JSON.stringify(await Promise.all(iPhones.all.map(listed))),
      ...env,
    },
  });
  return {
    ...appium,
    phones,
    iPhones,
    capabilities: ANY_ANDROID,
    appleCapabilities: capabilitiesFor('iOS', 'XCUITest'),
    stop: async (signal) => {
      const ended = await appium.stop(signal);
      await Promise.all([phones.stop(), iPhones.stop()]);
      return ended;
    },
  };
}

/** Capabilities of a session on any Android phone. */
export const ANY_ANDROID = capabilitiesFor('Android', 'UiAutomator2');

const installedAs = (name: DriverName) => ({ [name]: installedDriver(name) });

/** @returns the entry of an iPhone in `SVC_DEVICES` */
async function listed({ udid, facts, agent }: IPhone): Promise<object> {
  const { name, osVersion } = facts;
  return { udid, name, platform: 'iOS', osVersion, wdaUrl: await agent.listen() };
}

/** Takes back what `createSession` adds for phones of the fake driver. */
function capabilitiesFor(platformName: string, automationName: string) {
  return {
    platformName,
    'appium:automationName': automationName,
    'appium:app': undefined,
    'appium:deviceName': undefined,
  };
}

/** The folder of the Android SDK, in which Debian's package `adb` has `platform-tools/adb`. */
function androidHome(): string {
  const home = process.env.ANDROID_HOME ?? '/usr/lib/android-sdk';
  if (!existsSync(home))
    throw new Error(`${dirname(home)} has no Android SDK: \`apt-get install adb\` brings it`);
  return home;
}
