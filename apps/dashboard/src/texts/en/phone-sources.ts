export const phoneSourceTexts = {
  title: 'Phones plugged into this server',
  lead: 'Once one of these is switched on, every session runs on a phone of this page.',
  kinds: {
    adb: (address: string) => `adb server at ${address}`,
    ios: (address: string) => `usbmuxd at ${address}`,
  },
  silent: {
    adb: 'No answer. Start it with adb start-server, then plug in a phone with USB debugging switched on.',
    ios: 'No answer. It runs on every Mac; on Linux, install the package usbmuxd.',
  },
  answers: (phones: number) => {
    if (phones === 0) return 'Answers, no phone is plugged in.';
    return phones === 1 ? 'Answers, one phone is plugged in.' : `Answers, ${phones} phones are plugged in.`;
  },
  notLooked: 'Switched off, so nothing was looked for.',
  on: 'In use',
  off: 'Not used',
  switchOn: 'Use these phones',
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
