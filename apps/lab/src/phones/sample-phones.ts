import type { PluggedFacts } from './android/android-phones.ts';
import { freeConsolePort } from './android/emulator-console.ts';

/** A Samsung phone with Android 12. */
export const ANDROID_12 = {
  serial: 'R58M12ANDR12',
  model: 'SM_A515F',
  manufacturer: 'samsung',
  release: '12',
  apiLevel: 31,
  background: [140, 25, 25],
} as const satisfies PluggedFacts;

/** A Pixel with Android 14. */
export const ANDROID_14 = {
  serial: '39071FDJH0014',
  model: 'Pixel_8',
  release: '14',
  apiLevel: 34,
  background: [25, 60, 120],
} as const satisfies PluggedFacts;

/** A Pixel with Android 13 that is connected over the network. */
export const ANDROID_TCP = {
  serial: '192.168.7.20:5555',
  model: 'Pixel_6a',
  release: '13',
  apiLevel: 33,
  background: [20, 100, 40],
} as const satisfies PluggedFacts;

/** @returns an emulator with Android 15 and the virtual device `Pixel_5_API_35`, at a free port of this host */
export async function emulator(): Promise<PluggedFacts & { readonly avd: string }> {
  return {
    serial: `emulator-${await freeConsolePort()}`,
    model: 'sdk_gphone64',
    release: '15',
    apiLevel: 35,
    background: [110, 90, 20],
    avd: 'Pixel_5_API_35',
  };
}
