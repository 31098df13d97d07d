export const phoneSourceTexts = {
  title: 'Phones plugged into this server',
  lead: 'Once you switch on one of these sources, every session runs on a phone that is listed on this page.',
  notReady: (phones: number) => (phones === 1 ? '1 is not ready' : `${phones} are not ready`),
  kinds: {
    adb: (address: string) => `adb server at ${address}`,
    ios: (address: string) => `usbmuxd at ${address}`,
  },
  silent: {
    adb: 'The adb server does not respond. Start it with adb start-server, then plug in a phone with USB debugging switched on.',
    ios: 'usbmuxd does not respond. It runs on every Mac; on Linux, install the package usbmuxd.',
  },
  answers: (phones: number) => {
    if (phones === 0) return 'It responds, but no phone is plugged in.';
    return phones === 1
      ? 'It responds, one phone is plugged in.'
      : `It responds, ${phones} phones are plugged in.`;
  },
  notLooked: 'Switched off, so svc did not look for phones.',
  on: 'In use',
  off: 'Not used',
  switchOn: 'Use these phones',
  switchOnLater: 'Use its phones when it answers',
  switchOff: 'Stop using these phones',
  fixed: (variable: string) => `The environment variable ${variable} decides.`,
  phones: (source: string) => `Phones of the ${source}`,
  phone: 'Phone',
  version: 'Version',
  state: 'State',
  unknown: 'unknown',
  states: {
    ready: 'Ready',
    unauthorized: 'Confirm on the phone that it trusts this computer',
    offline: 'Offline: plug it in again',
    'no permissions': 'This server may not open the USB device (udev rules)',
    other: 'Not ready for tests',
  },
  again: 'Look again',
  switchedOn: 'The phones are in use.',
  switchedOff: 'The phones are no longer used.',
  conflict: 'A phone is in use, or a session runs on a phone that its driver picked. End the session first.',
};
