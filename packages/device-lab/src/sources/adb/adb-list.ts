/** A device from a line of the response to `host:track-devices-l` or `host:devices-l`. */
export interface AdbDevice {
  readonly serial: string;
  /**
   * State that adb reports, such as `device`, `offline` or `unauthorized`. It is `no` if adb reports `no permissions`,
   * which means that this host is not permitted to open the device.
   */
  readonly state: string;
  /** Model of the device with spaces in place of underscores, or empty if adb reports none. */
  readonly model: string;
  /** Id that adb assigns to the connection. It differs each time the device is connected. */
  readonly transport: string;
}

/** @returns all devices of a list from adb, whatever their state. Lines that cannot be parsed are left out. */
export function devicesOfList(text: string): AdbDevice[] {
  return text.split('\n').flatMap((line) => {
    const found = /^(\S+)\s+([a-z]+)(?:\s+(.*))?$/.exec(line.trimEnd());
    if (found === null) return [];
    const [, serial = '', state = '', details = ''] = found;
    const model = /(?:^|\s)model:(\S+)/.exec(details)?.[1] ?? '';
    const transport = /(?:^|\s)transport_id:(\S+)/.exec(details)?.[1] ?? '';
    return [{ serial, state, model: model.replaceAll('_', ' '), transport }];
  });
}

/** Returns whether a session can run on the device: its state in adb is `device`. */
export function isUsable({ state }: AdbDevice): boolean {
  return state === 'device';
}
