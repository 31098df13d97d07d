import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A usbmuxd on a socket in a temporary folder, with a program `ios` that responds as go-ios does. */
export interface ScriptedUsbmuxd {
  readonly path: string;
  /** Folder for `PATH`, which contains the program `ios`. */
  readonly folder: string;
  /** Types of all requests so far. */
  readonly asked: readonly string[];
  readonly open: ReadonlySet<Socket>;
  plug(id: number, udid: string, connection?: string): void;
  unplug(id: number): void;
  /** Sends bytes to every client that listens. */
  send(bytes: Buffer | string): void;
  /**
   * Sets the output of `ios info` for a phone. Without details, the program fails as for a phone that does not trust
   * the host.
   */
  describe(udid: string, details?: object): void;
  /** Connects each port of each phone to this port of the host. */
  connectTo(port: number): void;
  /** Sets what `ios devmode get` and `ios tunnel ls` print. */
  tell(command: 'devmode' | 'tunnel', output: string): void;
  close(): Promise<void>;
}

export async function scriptedUsbmuxd(): Promise<ScriptedUsbmuxd> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-usbmuxd-'));
  const path = join(folder, 'usbmuxd');
  const plugged = new Map<number, string>();
  const asked: string[] = [];
  let phonePort = 1;
  const open = new Set<Socket>();
  const listeners = new Set<Socket>();
  writeFileSync(join(folder, 'ios'), GO_IOS);
  chmodSync(join(folder, 'ios'), 0o755);
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => {
      open.delete(socket);
      listeners.delete(socket);
    });
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const [, type = ''] =
        /<key>MessageType<\/key>\s*<string>(\w+)<\/string>/.exec(bytes.subarray(16).toString()) ?? [];
      asked.push(type);
      if (type === 'ListDevices')
        socket.write(
          packed(`<dict><key>DeviceList</key><array>${[...plugged.values()].join('')}</array></dict>`),
        );
      if (type === 'Connect') {
        socket.removeAllListeners('data');
        socket.write(packed(RESULT));
        const phone = connect(phonePort, '127.0.0.1');
        phone.on('error', () => socket.destroy());
        socket.pipe(phone).pipe(socket);
      }
      if (type !== 'Listen') return;
      listeners.add(socket);
      socket.write(packed(RESULT));
      for (const entry of plugged.values()) socket.write(packed(entry));
    });
  });
  await new Promise<void>((done) => server.listen(path, done));
  const send = (bytes: Buffer | string) => {
    for (const socket of listeners) socket.write(bytes);
  };
  return {
    path,
    folder,
    asked,
    open,
    plug: (id, udid, connection = 'USB') => {
      plugged.set(id, attached(id, udid, connection));
      send(packed(attached(id, udid, connection)));
    },
    unplug: (id) => {
      plugged.delete(id);
      send(
        packed(
          `<dict><key>DeviceID</key><integer>${id}</integer><key>MessageType</key><string>Detached</string></dict>`,
        ),
      );
    },
    send,
    describe: (udid, details) => {
      if (details === undefined) rmSync(join(folder, `${udid}.json`), { force: true });
      else writeFileSync(join(folder, `${udid}.json`), JSON.stringify(details));
    },
    connectTo: (port) => {
      phonePort = port;
    },
    tell: (command, output) => writeFileSync(join(folder, command), output),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Prints the values of the phone, or fails with a line of JSON on standard error, as go-ios does. */
const GO_IOS = `#!/bin/sh
folder="\${0%/*}"
env > "$folder/env"
[ "$1" = info ] && [ -f "$folder/\${2#--udid=}.json" ] && exec cat "$folder/\${2#--udid=}.json"
[ "$1" = runwda ] && [ -f "$folder/broken" ] && exit 1
[ "$1" = runwda ] && echo "$$ $*" >> "$folder/runs" && exec sleep 600
[ "$1" = syslog ] && echo '{"msg":"SpringBoard: opened"}' && echo 'plain line' && exec sleep 600
[ "$1" = devmode ] && exec cat "$folder/devmode"
[ "$1" = tunnel ] && exec cat "$folder/tunnel"
echo '{"err":"failed getting info: InvalidHostID","level":"fatal","msg":"failed getting info"}' >&2
exit 1
`;

const RESULT =
  '<dict><key>MessageType</key><string>Result</string><key>Number</key><integer>0</integer></dict>';

function attached(id: number, udid: string, connection: string): string {
  return `<dict>
  <key>DeviceID</key><integer>${id}</integer>
  <key>MessageType</key><string>Attached</string>
  <key>Properties</key>
  <dict>
    <key>ConnectionSpeed</key><integer>480000000</integer>
    <key>ConnectionType</key><string>${connection}</string>
    <key>DeviceID</key><integer>${id}</integer>
    <key>LocationID</key><integer>336592896</integer>
    <key>NetworkAddress</key><data>AAAA</data>
    <key>ProductID</key><integer>4776</integer>
    <key>SerialNumber</key><string>${udid}</string>
    <key>Wireless</key><false/>
  </dict>
</dict>`;
}

/** @returns a message of usbmuxd, with the head and the document type that it sends */
export function packed(value: string): Buffer {
  const payload = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n${value}\n</plist>\n`,
  );
  const head = Buffer.alloc(16);
  for (const [index, field] of [16 + payload.length, 1, 8, 0].entries()) head.writeUInt32LE(field, index * 4);
  return Buffer.concat([head, payload]);
}
