/** A device in state `device`, as a line of `host:track-devices-l` names it. */
export interface AdbDevice {
  readonly serial: string;
  /** With spaces in place of underscores, or empty if adb names none. */
  readonly model: string;
  /** Differs each time the device is connected. */
  readonly transport: string;
}

/** Leaves out devices that are offline, unauthorized or unreadable, because no session can run on them. */
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
