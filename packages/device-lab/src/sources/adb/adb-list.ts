/** A device from a line of the response to `host:track-devices-l` or `host:devices-l`. */
export interface AdbDevice {
  readonly serial: string;
  /** State that adb reports, such as `device`, `offline` or `unauthorized`; `no` if this host may not open the device. */
  readonly state: string;
  /** Model of the device with spaces in place of underscores, or empty if adb reports none. */
  readonly model: string;
  /** Id that adb assigns to the connection. It differs each time the device is connected. */
  readonly transport: string;
}

/** @returns the devices of a list from adb in every state, without unreadable lines */
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
