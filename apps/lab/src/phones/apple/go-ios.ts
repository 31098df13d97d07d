import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { IPhone } from './iphone.ts';

/**
 * The program `ios`. It passes its arguments to the server of this file, prints what that sends, and ends with the exit
 * code that comes last. If it is killed, its connection closes, which ends what it runs.
 */
const PROGRAM = `#!${process.execPath}
const { connect } = require('node:net');
const { join } = require('node:path');
const socket = connect(join(__dirname, 'control'), () => socket.write(JSON.stringify(process.argv.slice(2)) + '\\n'));
const lines = require('node:readline').createInterface(socket);
lines.on('line', (line) => {
  const { out, err, file, content, exit } = JSON.parse(line);
  if (out !== undefined) process.stdout.write(out);
  if (err !== undefined) process.stderr.write(err);
  if (file !== undefined) require('node:fs').writeFileSync(file, Buffer.from(content, 'base64'));
  if (exit !== undefined) process.exitCode = exit;
});
socket.on('error', () => process.exit(1));
`;

/** A call of the program `ios`. */
interface Call {
  readonly phone: IPhone;
  readonly args: readonly string[];
  out(text: string): void;
  /** Writes a file where the program runs. */
  write(file: string, content: Buffer): void;
  readonly closed: Promise<void>;
}

/** Returns an exit code, or the message of a failure. */
type Subcommand = (call: Call) => number | string | Promise<number | string>;

const info: Subcommand = ({ phone: { facts, udid, isTrusted }, out }) => {
  if (!isTrusted) return 'failed getting info: InvalidHostID';
  out(
    `${JSON.stringify({
      DeviceName: facts.name,
      ProductType: facts.productType,
      ProductVersion: facts.osVersion,
      DeviceClass: 'iPhone',
      UniqueDeviceID: udid,
    })}\n`,
  );
  return 0;
};

/** Prints log lines as JSON until the program is killed, or plain with `--nojson`. */
const syslog: Subcommand = async ({ phone, args, out, closed }) => {
  const isPlain = args.includes('--nojson');
  const stop = phone.followLog((line) => out(`${isPlain ? line : JSON.stringify({ msg: line })}\n`));
  await closed;
  stop();
  return 0;
};

const needsTunnel = ({ facts, hasTunnel }: IPhone) =>
  Number.parseInt(facts.osVersion, 10) >= 17 && !hasTunnel;

const screenshot: Subcommand = ({ phone, args, write }) => {
  if (needsTunnel(phone)) return 'failed to get tunnel info';
  const file = args.find((each) => each.startsWith('--output='))?.slice('--output='.length);
  write(file ?? 'screenshot.png', phone.screen.picture('png'));
  return 0;
};

/** Runs WebDriverAgent until the program is killed. */
const runwda: Subcommand = async ({ phone, closed, out }) => {
  if (!phone.hasDeveloperMode) return 'developer mode is not enabled';
  if (needsTunnel(phone)) return 'failed to get tunnel info';
  phone.agent.isRunning = true;
  out(`${JSON.stringify({ level: 'info', msg: 'ServerURLHere->http://127.0.0.1:8100<-ServerURLHere' })}\n`);
  await closed;
  phone.agent.stop();
  return 0;
};

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  apps: ({ phone, out }) => {
    out(`${JSON.stringify([...phone.apps].map((id) => ({ CFBundleIdentifier: id })))}\n`);
    return 0;
  },
  devmode: ({ phone, out }) => {
    out(`${JSON.stringify({ DeveloperModeEnabled: phone.hasDeveloperMode })}\n`);
    return 0;
  },
  info,
  runwda,
  screenshot,
  syslog,
  uninstall: ({ phone, args }) => (phone.apps.delete(args.at(-1) ?? '') ? 0 : 'the app is not installed'),
};

/** The program `ios` of go-ios, for scripted iPhones. */
export class GoIos {
  /** Folder for `PATH`, which contains the program. */
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-ios-'));
  /** Arguments of each call. */
  readonly calls: string[] = [];
  readonly #phones: () => readonly IPhone[];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  constructor(phones: () => readonly IPhone[]) {
    this.#phones = phones;
  }

  async start(): Promise<void> {
    writeFileSync(join(this.folder, 'ios'), PROGRAM, { mode: 0o755 });
    await new Promise<void>((listens) => this.#server.listen(join(this.folder, 'control'), listens));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
    this.removeFiles();
  }

  removeFiles(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const closed = new Promise<void>((over) => {
      socket
        .on('error', () => undefined)
        .once('close', () => {
          this.#sockets.delete(socket);
          over();
        });
    });
    createInterface(socket).once('line', async (line) => {
      const send = (message: object) => void socket.write(`${JSON.stringify(message)}\n`);
      const result = await this.#run(JSON.parse(line), {
        out: (out) => send({ out }),
        write: (file, content) => send({ file, content: content.toString('base64') }),
        closed,
      });
      if (typeof result === 'number') send({ exit: result });
      else send({ err: `${JSON.stringify({ err: result, level: 'fatal', msg: result })}\n`, exit: 1 });
      socket.end();
    });
  }

  async #run(args: readonly string[], streams: Omit<Call, 'phone' | 'args'>): Promise<number | string> {
    this.calls.push(args.join(' '));
    const phones = this.#phones();
    if (args[0] === 'tunnel') {
      const tunnels = phones.filter(({ hasTunnel }) => hasTunnel).map(({ udid }) => ({ udid }));
      streams.out(`${JSON.stringify(tunnels)}\n`);
      return 0;
    }
    if (args[0] === 'list') {
      streams.out(`${JSON.stringify({ deviceList: phones.map(({ udid }) => udid) })}\n`);
      return 0;
    }
    const udid = args.find((each) => each.startsWith('--udid='))?.slice('--udid='.length);
    const phone = udid === undefined ? phones[0] : phones.find((each) => each.udid === udid);
    if (phone === undefined) return `Device '${udid}' not found. Is it attached to the machine?`;
    const subcommand = SUBCOMMANDS[args[0] ?? ''];
    return (await subcommand?.({ phone, args: args.slice(1), ...streams })) ?? `unknown command ${args[0]}`;
  }
}
