import type { Socket } from 'node:net';
import type { AndroidPhone } from './android-phone.ts';
import { parseCommandLine } from './command-line.ts';
import { activityPrograms } from './programs/activities.ts';
import { filePrograms } from './programs/files.ts';
import { packagePrograms } from './programs/packages.ts';
import { recordScreen, screenPrograms } from './programs/screen.ts';
import { systemPrograms } from './programs/system.ts';
import type { Programs, ShellCall } from './shell-call.ts';

const PROGRAMS: Programs = {
  ...systemPrograms,
  ...filePrograms,
  ...packagePrograms,
  ...activityPrograms,
  ...screenPrograms,
};
const NOT_FOUND = 127;

type Streams = Omit<ShellCall, 'phone' | 'args'>;

/** Runs a command line on a phone. @returns its exit code */
async function runShell(phone: AndroidPhone, line: string, streams: Streams): Promise<number> {
  const scripted = phone.answers.find(({ command }) => command.test(line));
  if (scripted !== undefined) {
    const output = scripted.output();
    if (typeof output === 'string' || output instanceof Uint8Array) streams.out(output);
    else for await (const part of output) streams.out(part);
    return 0;
  }
  // The server records screens with a script that has pipes and processes in the background.
  if (line.startsWith('screenrecord --output-format=h264'))
    return recordScreen({ phone, args: [], ...streams });
  let code = 0;
  for (const { words, after, isErrorHidden } of parseCommandLine(line)) {
    if ((after === 'success' && code !== 0) || (after === 'failure' && code === 0)) continue;
    const [name = '', ...args] = words
      .filter((word, index) => index > 0 || word !== 'exec')
      .map((word) => word.replace('$?', String(code)));
    const program = args.includes('|') ? undefined : PROGRAMS[name];
    const err = isErrorHidden ? () => undefined : streams.err;
    if (program === undefined) {
      phone.unknown.push(words.join(' '));
      err(`/system/bin/sh: ${name}: inaccessible or not found\n`);
      code = NOT_FOUND;
    } else code = await program({ phone, ...streams, err, args });
  }
  return code;
}

/** Standard input that arrives in pieces. */
class Input {
  #pending = Buffer.alloc(0);
  #isOver = false;
  #look: () => void = () => undefined;

  push(bytes: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    this.#look();
  }

  end(): void {
    this.#isOver = true;
    this.#look();
  }

  /** @returns the next bytes, or fewer if the input ends */
  async read(size: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let missing = size;
    while (missing > 0 && !(this.#isOver && this.#pending.length === 0)) {
      if (this.#pending.length === 0)
        await new Promise<void>((arrived) => {
          this.#look = arrived;
        });
      const part = this.#pending.subarray(0, missing);
      this.#pending = this.#pending.subarray(part.length);
      missing -= part.length;
      chunks.push(part);
    }
    return Buffer.concat(chunks);
  }
}

/** Runs `shell:` or `exec:`, whose output is the bytes of the connection. */
export function serveRaw(phone: AndroidPhone, line: string, socket: Socket): void {
  const input = new Input();
  const write = (content: string | Uint8Array) => void socket.write(content);
  socket.on('data', (bytes) => input.push(bytes)).once('end', () => input.end());
  const streams = {
    out: write,
    err: write,
    read: (size: number) => input.read(size),
    closed: closed(socket),
  };
  void runShell(phone, line, streams).then(() => socket.end());
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const EXIT = 3;
const CLOSE_STDIN = 3;
const HEAD = 5;

/** Runs `shell,v2:`, whose packets contain the stream's number, the length and the bytes. */
export function servePackets(phone: AndroidPhone, line: string, socket: Socket): void {
  const send = (stream: number, content: string | Uint8Array) => {
    const bytes = Buffer.from(content);
    const head = Buffer.alloc(HEAD);
    head[0] = stream;
    head.writeUInt32LE(bytes.length, 1);
    socket.write(Buffer.concat([head, bytes]));
  };
  const input = new Input();
  let pending = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= HEAD && pending.length >= HEAD + pending.readUInt32LE(1)) {
      const end = HEAD + pending.readUInt32LE(1);
      if (pending[0] === STDIN) input.push(pending.subarray(HEAD, end));
      if (pending[0] === CLOSE_STDIN) input.end();
      pending = pending.subarray(end);
    }
  });
  const streams = {
    out: (content: string | Uint8Array) => send(STDOUT, content),
    err: (text: string) => send(STDERR, text),
    read: (size: number) => input.read(size),
    closed: closed(socket),
  };
  void runShell(phone, line, streams).then((code) => {
    send(EXIT, Buffer.from([code]));
    socket.end();
  });
}

function closed(socket: Socket): Promise<void> {
  return new Promise((over) => {
    // The server keeps its half of the connection open, so a client that only reads is noticed by `end`.
    socket.once('end', over).once('close', over);
  });
}
