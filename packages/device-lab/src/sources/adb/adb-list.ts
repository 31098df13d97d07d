/** A device whose state in adb is `device`, from a line of the response to `host:track-devices-l`. */
export interface AdbDevice {
  readonly serial: string;
  /** Model of the device with spaces in place of underscores, or empty if adb reports none. */
  readonly model: string;
  /** Id that adb assigns to the connection. It differs each time the device is connected. */
  readonly transport: string;
}

/**
 * @returns the devices of a list from adb, without those that are offline, unauthorized or unreadable, because no
 * session can run on them
 */
export function devicesOfList(text: string): AdbDevice[] {
  return text.split('\n').flatMap((line) => {
    const found = /^(\S+)\s+device(?:\s+(.*))?$/.exec(line.trimEnd());
    if (found === null) return [];
    const [, serial = '', details = ''] = found;
    const model = /(?:^|\s)model:(\S+)/.exec(details)?.[1] ?? '';
    const transport = /(?:^|\s)transport_id:(\S+)/.exec(details)?.[1] ?? '';
    return [{ serial, model: model.replaceAll('_', ' '), transport }];
  });
}
