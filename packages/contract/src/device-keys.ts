/** Keys that can be pressed on a phone without a session. A phone refuses those that it does not have. */
export const DEVICE_KEYS = [
  'home',
  'back',
  'appSwitch',
  'enter',
  'volumeUp',
  'volumeDown',
  'power',
  'backspace',
  'delete',
  'up',
  'down',
  'left',
  'right',
] as const;
export type DeviceKey = (typeof DEVICE_KEYS)[number];
