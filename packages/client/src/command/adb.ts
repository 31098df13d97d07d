import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { labSettings } from '../environment.ts';
import { SvcClient } from '../rest-client.ts';
import { AdbBridge } from './adb/bridge.ts';
import { type Command, type CommandIo, plainText, UsageError } from './command.ts';
import { stopSignal, watch } from './phone/holding.ts';
import { LabSockets, type PhoneRoutes } from './phone/lab-sockets.ts';

const ROUTES: PhoneRoutes = { ticket: 'issueAdbTicket', socket: 'openAdb' };

export const adb: Command = {
  usage: `adb <udid> … [--port <port>] [--connect]

Opens a local port for each phone that you lease or run a session on, so that adb, Android Studio, scrcpy and other
programs of this machine can use it: adb connect 127.0.0.1:<port>. Ends with a sentence that says why when your lease,
your session or your credential ends.

  --port <port>  local port of the first phone; the next ones follow (default: any free port)
  --connect      runs adb connect for each phone, and adb disconnect at the end
`,
  run: async (args, env, io) => {
    const { udids, port, connect } = read(args);
    const { url, pair } = labSettings(env);
    const client = new SvcClient({ url, credential: pair });
    const ended = new AbortController();
    const phones = await Promise.all(
      udids.map((udid, index) => open({ client, udid, port: port === 0 ? 0 : port + index, io, ended })),
    );
    for (const { address } of phones) {
      io.out(`adb connect ${address}\n`);
      if (connect) await runAdb('connect', address, io);
    }
    const stopped = stopSignal(ended.signal);
    const reason = await stopped;
    for (const { address, close } of phones) {
      if (connect) await runAdb('disconnect', address, io);
      close();
    }
    if (reason === undefined) return 0;
    io.err(`${plainText(reason)}\n`);
    return 1;
  },
};

function read(args: readonly string[]): { udids: string[]; port: number; connect: boolean } {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { port: { type: 'string' }, connect: { type: 'boolean' } },
    allowPositionals: true,
  });
  const port = Number(values.port ?? 0);
  if (positionals.length === 0 || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError();
  return { udids: positionals, port, connect: values.connect ?? false };
}

interface OpenPhone {
  readonly address: string;
  close(): void;
}

interface Opening {
  readonly client: SvcClient;
  readonly udid: string;
  readonly port: number;
  readonly io: CommandIo;
  readonly ended: AbortController;
}

/** Opens the port of one phone, after the lab has confirmed the right to it. */
async function open({ client, udid, port, io, ended }: Opening): Promise<OpenPhone> {
  const name = plainText(udid);
  const end = (reason: string) => ended.abort(`The connection to ${name} has ended: ${reason}.`);
  const lab = new LabSockets(client, ROUTES, udid, end);
  const about = await lab.about();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    new AdbBridge(socket, lab, about, (text) => io.err(`${name}: ${plainText(text)}\n`));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address() as { port: number };
  void watch(lab, end, ended.signal);
  return {
    address: `127.0.0.1:${bound.port}`,
    close: () => {
      lab.close();
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function runAdb(verb: 'connect' | 'disconnect', address: string, io: CommandIo): Promise<void> {
  const child = spawn('adb', [verb, address], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await once(child, 'exit').then(
    ([status]) => status,
    () => 'it is not installed',
  );
  if (code !== 0 && verb === 'connect') io.err(`adb ${verb} ${address} failed: ${code}\n`);
}
