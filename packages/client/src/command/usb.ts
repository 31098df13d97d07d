import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { labSettings } from '../environment.ts';
import { SvcClient } from '../rest-client.ts';
import { type Command, plainText, UsageError } from './command.ts';
import { stopSignal, watch } from './phone/holding.ts';
import { LabSockets, type PhoneRoutes } from './phone/lab-sockets.ts';
import { LocalUsbmuxd } from './usb/local-usbmuxd.ts';

const ROUTES: PhoneRoutes = { ticket: 'issueUsbTicket', socket: 'openUsb' };

export const usb: Command = {
  usage: `usb <udid> [--port <port>]

Makes an iOS phone that you lease or run a session on available to go-ios, libimobiledevice and other programs of this
machine that speak to usbmuxd: it lists that phone alone on a socket of its own, and prints the variable with which the
programs find it. The lab's pairing with the phone stays in the lab, so pair with idevicepair and confirm on the phone.
The pairing is forgotten when the command ends. Ends with a sentence that says why when your lease, your session or your
credential ends.

  --port <port>  listens at a port of the loopback address, where every user of this machine can connect
                 (default: a socket that only you can open; on Windows any free port)
`,
  run: async (args, env, io) => {
    const { udid, port } = read(args);
    const { url, pair } = labSettings(env);
    const client = new SvcClient({ url, credential: pair });
    const ended = new AbortController();
    const name = plainText(udid);
    const end = (reason: string) => ended.abort(`The connection to ${name} has ended: ${reason}.`);
    const lab = new LabSockets(client, ROUTES, udid, end);
    await lab.about();
    const usbmuxd = new LocalUsbmuxd(lab, udid, (text) => io.err(`${name}: ${plainText(text)}\n`));
    const server = createServer((socket) => usbmuxd.serve(socket));
    const place = await listen(server, port);
    io.out(`export USBMUXD_SOCKET_ADDRESS=${place.address}\n`);
    void watch(lab, end, ended.signal);
    const reason = await stopSignal(ended.signal);
    lab.close();
    server.close();
    usbmuxd.close();
    place.remove();
    if (reason === undefined) return 0;
    io.err(`${plainText(reason)}\n`);
    return 1;
  },
};

function read(args: readonly string[]): { udid: string; port: number | undefined } {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { port: { type: 'string' } },
    allowPositionals: true,
  });
  const port = values.port === undefined ? undefined : Number(values.port);
  const [udid, ...more] = positionals;
  const isPort = port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535);
  if (udid === undefined || more.length > 0 || !isPort) throw new UsageError();
  return { udid, port };
}

/** Listens at a port, or in a new folder that other users of this machine cannot enter. */
async function listen(
  server: Server,
  port: number | undefined,
): Promise<{ readonly address: string; remove(): void }> {
  if (port !== undefined || process.platform === 'win32') {
    server.listen(port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address() as { port: number };
    return { address: `127.0.0.1:${bound.port}`, remove: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-usb-'));
  const path = join(folder, 'usbmuxd');
  server.listen(path);
  await once(server, 'listening');
  return { address: `UNIX:${path}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
