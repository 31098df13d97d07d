import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AndroidPhones, type DriverName, installedDriver, type PluggedFacts } from '@svc/lab/phones';
import { type AppiumOptions, startAppium } from '../../support/appium.ts';
import type { RunningProcess, RunningServer } from '../../support/lab.ts';

/**
 * Appium with the plugin, the unmodified drivers and scripted Android phones.
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
  /** Capabilities of a session on any of the phones. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

interface PhoneLabOptions extends Pick<AppiumOptions, 'env' | 'args' | 'plugins' | 'dataDir'> {
  readonly phones: readonly PluggedFacts[];
  readonly drivers?: readonly DriverName[];
}

export async function startPhoneLab({
  phones: facts,
  drivers = ['appium-uiautomator2-driver'],
  env,
  ...options
}: PhoneLabOptions): Promise<PhoneLab> {
  const installed = Object.fromEntries(drivers.map((name) => [name, installedDriver(name)]));
  const phones = await AndroidPhones.start({ phones: facts });
  const { port } = phones.adb;
  const appium: RunningProcess & RunningServer = await startAppium({
    ...options,
    installed,
    env: { SVC_ADB: `127.0.0.1:${port}`, SVC_DEVICES: '[]', ANDROID_HOME: androidHome(), ...env },
  });
  const capabilities = {
    platformName: 'Android',
    'appium:automationName': 'UiAutomator2',
    'appium:adbPort': port,
    'appium:app': undefined,
    'appium:deviceName': undefined,
  };
  return {
    ...appium,
    phones,
    capabilities,
    stop: async (signal) => {
      const ended = await appium.stop(signal);
      await phones.stop();
      return ended;
    },
  };
}

/** The folder of the Android SDK, in which Debian's package `adb` has `platform-tools/adb`. */
function androidHome(): string {
  const home = process.env.ANDROID_HOME ?? '/usr/lib/android-sdk';
  if (!existsSync(home))
    throw new Error(`${dirname(home)} has no Android SDK: \`apt-get install adb\` brings it`);
  return home;
}
