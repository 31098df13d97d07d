export type { AndroidFacts, AndroidPhone, PhoneState } from './phones/android/android-phone.ts';
export {
  AndroidPhones,
  type AndroidPhonesOptions,
  type PluggedFacts,
} from './phones/android/android-phones.ts';
export type { InstalledPackage } from './phones/android/apk.ts';
export { connectReverse } from './phones/android/services.ts';
export type { IPhone, IPhoneFacts } from './phones/apple/iphone.ts';
export { IPhones } from './phones/apple/iphones.ts';
export { DRIVERS, type DriverName, installedDriver, isDriverInstalled } from './phones/installed-driver.ts';
export {
  ANDROID_12,
  ANDROID_14,
  ANDROID_TCP,
  emulator,
  IPHONE_13,
  IPHONE_15,
} from './phones/sample-phones.ts';
