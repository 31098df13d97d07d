import type { PluggedFacts } from './android/android-phones.ts';
import { freeConsolePort } from './android/emulator-console.ts';
import type { IPhoneFacts } from './apple/iphone.ts';

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

/** An iPhone 13 with iOS 17.4. */
export const IPHONE_13 = {
  udid: '00008110-000A11112222001E',
  name: 'iPhone 13',
  productType: 'iPhone14,5',
  osVersion: '17.4',
  background: [70, 40, 110],
} as const satisfies IPhoneFacts;

/** An iPhone 15 with iOS 18.1. */
export const IPHONE_15 = {
  udid: '00008120-000B33334444001E',
  name: 'iPhone 15',
  productType: 'iPhone15,4',
  osVersion: '18.1',
  background: [110, 40, 80],
} as const satisfies IPhoneFacts;
