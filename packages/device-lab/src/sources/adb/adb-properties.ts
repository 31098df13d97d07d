import type { DeviceFacts } from '../../device.ts';

/** What an Android device says about itself. */
export interface AdbProperties {
  readonly osVersion: string;
  readonly facts: DeviceFacts;
}

/** Maximum number of bytes that are read of the properties. Real devices have 30 to 100 kB. */
export const MOST_PROPERTY_BYTES = 512 * 1024;

const EMULATOR_FLAGS = ['ro.kernel.qemu', 'ro.boot.qemu'];
const AVD_NAMES = ['ro.boot.qemu.avd_name', 'ro.kernel.qemu.avd_name'];

/**
 * Reads the response to `getprop`, which has a line such as `[ro.product.model]: [Pixel 8]` for each property. A device
 * that answers with a single text has only a version.
 */
export function adbProperties(serial: string, text: string): AdbProperties {
  const properties = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/^\[([\w.-]{1,128})\]: \[(.*?)\]\r?$/gm))
    properties.set(name, value.trim());
  const version = properties.size === 0 ? text.trim() : (properties.get('ro.build.version.release') ?? '');
  const textOf = (name: string) => properties.get(name) || null;
  const level = Number(properties.get('ro.build.version.sdk') || Number.NaN);
  const isEmulator =
    serial.startsWith('emulator-') || EMULATOR_FLAGS.some((name) => properties.get(name) === '1');
  return {
    osVersion: /^[\w.+-]{1,64}$/.test(version) ? version : 'unknown',
    facts: {
      model: textOf('ro.product.model'),
      manufacturer: textOf('ro.product.manufacturer'),
      apiLevel: Number.isSafeInteger(level) ? level : null,
      kind: isEmulator ? 'emulator' : 'real',
      avd: AVD_NAMES.map(textOf).find((name) => name !== null) ?? null,
    },
  };
}
