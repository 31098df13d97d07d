import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { tokenKind } from './token-kind.ts';

/** Maximum length of the input in characters. Signed tokens, the longest ones, have about 1,000 characters. */
const LONGEST = 16_384;

export const token: Command = {
  isOffline: true,
  usage: `token check

Reads a token from standard input, or asks for it without showing it, and says what kind of token it is and
whether its checksum is correct. It asks no server and never prints the token, so a secret that somebody found can
be checked. Exits with 1 if the checksum is wrong or the text is no token of svc.

  pbpaste | svc token check
`,
  run: async (args, _env, io) => {
    const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
    if (positionals.length !== 1 || positionals[0] !== 'check') throw new UsageError();
    const found = tokenKind((await readToken(io)).trim());
    io.out(`${describe(found)}\n`);
    return found === undefined || found.checksum === false ? 1 : 0;
  },
};

function describe(found: ReturnType<typeof tokenKind>): string {
  if (found === undefined) return 'This is no token of svc.';
  const kind = `This has the form of ${found.kind}.`;
  if (found.checksum === null) return `${kind} It has no checksum.`;
  return `${kind} Its checksum is ${found.checksum ? 'correct' : 'wrong, or it is incomplete'}.`;
}

async function readToken(io: CommandIo): Promise<string> {
  if (io.input !== undefined && process.stdin.isTTY !== true) return bounded(await io.input());
  return process.stdin.isTTY === true ? askFor(io) : readInput();
}

/**
 * Reads a token that the user types in the terminal. The line reader writes to nowhere, so that the terminal does not
 * show the token.
 */
async function askFor(io: CommandIo): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const closed = new Promise<string>((done) => reader.once('close', () => done('')));
  reader.once('SIGINT', () => reader.close());
  io.err('Token (it is not shown): ');
  try {
    return bounded(await Promise.race([reader.question(''), closed]));
  } finally {
    reader.close();
    io.err('\n');
  }
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) text = bounded(text + part);
  return text;
}

function bounded(text: string): string {
  if (text.length > LONGEST) throw new Error('the input is too long for a token');
  return text;
}
