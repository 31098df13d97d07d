import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcClient } from '@svc/client';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD, type Role } from '@svc/contract';
import { ends } from './ends.ts';

/**
 * Starts real servers for integration tests. Each is a child process with its own data folder, started with the same
 * file that users start. No code here sleeps: a test waits for a line of output or for the end of a process.
 */

const START_MS = 45_000;
/** Contract 9 allows 5 s. A server that needs longer is killed, and the test fails. */
const STOP_MS = 10_000;

const resolve = createRequire(import.meta.url).resolve;

export interface ServerOptions {
  /** Added to the environment. `SVC_*`, `PORT` and `HOST` of the test run itself never reach the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Data folder of an earlier server; by default a new folder. */
  readonly dataDir?: string;
  /** Prefix of the command, such as `ip netns exec …`. */
  readonly within?: readonly string[];
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RequestOptions extends RequestInit {
  /** Sent as the JSON body. */
  readonly json?: unknown;
}

/** A running program. */
export interface RunningProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  /** Standard output and standard error so far, in order. */
  output(): string;
  /** Standard output so far. */
  stdout(): string;
  /** Waits for the first line of output that matches; fails if the program ends without it, or takes too long. */
  line(pattern: RegExp, longestMs?: number): Promise<string>;
  /**
   * Ends the program with a signal (SIGTERM).
   * @returns how it ended, and after how many milliseconds
   */
  stop(signal?: NodeJS.Signals): Promise<Exit & { readonly tookMs: number }>;
}

export interface RunningServer extends RunningProcess {
  /** Scheme, host and port. */
  readonly url: string;
  readonly dataDir: string;
  /** Sends a request to `/svc/api<path>`, with the server's own `Origin` unless the headers set one. */
  api(path: string, init?: RequestOptions): Promise<Response>;
}

/** Starts the lab: Appium, the plugin and virtual phones. Resolves when it is ready. */
export const startLab = (options: ServerOptions = {}) => startServer('@svc/lab/main.js', options);

/** Starts the API alone, without Appium. Resolves when it is ready. */
export const startApi = (options: ServerOptions = {}) => startServer('@svc/api/main.js', options);

/** Starts a further entrance of a grid. Resolves when it is ready. */
export const startFurther = (options: ServerOptions = {}) => startServer('@svc/entrance/main.js', options);

/** Starts a server that only authenticates, without phones. Resolves when it is ready. */
export const startAccounts = (options: ServerOptions = {}) =>
  startProgram(fileURLToPath(new URL('accounts-server.mjs', import.meta.url)), options);

const startServer = (program: string, options: ServerOptions) => startProgram(built(program), options);

async function startProgram(file: string, options: ServerOptions): Promise<RunningServer> {
  const dataDir = options.dataDir ?? freshDataDir();
  const env = { PORT: '0', SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10', ...options.env };
  const running = runNode(file, { env, within: options.within ?? [] });
  const ready = await running.line(/^svc ready on /);
  const url = ready.slice('svc ready on '.length).trim();
  return { ...running, url, dataDir, api: (path, init) => request(`${url}/svc/api${path}`, init) };
}

/** Fails if the program is not built, because a skipped test would look like one that passed. */
function built(program: string): string {
  try {
    return resolve(program);
  } catch (cause) {
    const advice = '`npx -y pnpm@10 build` builds it, `npx -y pnpm@10 test` builds first.';
    throw new Error(`${program} is not built. ${advice}`, { cause });
  }
}

interface RunOptions extends Pick<ServerOptions, 'env'> {
  readonly args?: readonly string[];
}

interface NodeOptions extends RunOptions, Pick<ServerOptions, 'within'> {}

/** Runs a built program of this workspace, which need not be a server. */
export function runNode(
  file: string,
  { env = {}, args = [], within = [] }: NodeOptions = {},
): RunningProcess {
  const [program = process.execPath, ...before] = [...within, process.execPath];
  return runProgram(program, { env, args: [...before, file, ...args] });
}

export function runProgram(program: string, { env = {}, args = [] }: RunOptions = {}): RunningProcess {
  const child = spawn(program, args, {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let output = '';
  let stdout = '';
  const waiting = new Set<() => void>();
  const collect = (text: string) => {
    output += text;
    for (const look of waiting) look();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    collect(text);
  });
  child.stderr.setEncoding('utf8').on('data', collect);
  const exited = new Promise<Exit>((done, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => {
      children.delete(child);
      done({ code, signal });
    });
  });

  const line = (pattern: RegExp, longestMs = START_MS) =>
    new Promise<string>((found, failed) => {
      const look = () => {
        const match = output
          .split('\n')
          .slice(0, -1)
          .find((each) => pattern.test(each));
        if (match === undefined) return;
        finish();
        found(match);
      };
      const fail = (why: string) => {
        finish();
        failed(new Error(`${why}, and no line was like ${pattern}. Its output:\n${output}`));
      };
      const timer = setTimeout(() => fail(`${longestMs} ms passed`), longestMs);
      const finish = () => {
        clearTimeout(timer);
        waiting.delete(look);
      };
      waiting.add(look);
      void exited.then(
        ({ code, signal }) => waiting.has(look) && fail(`the program ended with ${code ?? signal}`),
        (error) => fail(String(error)),
      );
      look();
    });

  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const began = performance.now();
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const exit = await exited;
    clearTimeout(timer);
    return { ...exit, tookMs: performance.now() - began };
  };

  return { child, exited, output: () => output, stdout: () => stdout, line, stop };
}

/** Creates a folder that is removed when the test file is done. */
export function freshDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  folders.add(folder);
  return folder;
}

/** @returns a port on which no program listens at the moment */
export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

const ADMIN = { email: DEFAULT_ADMIN_EMAIL, password: DEFAULT_ADMIN_PASSWORD } as const;

/** Sends a request like a page of the server: `Origin` is set unless the headers set one. */
export function request(url: string, { json, headers, ...init }: RequestOptions = {}): Promise<Response> {
  const all = new Headers(headers);
  if (!all.has('origin')) all.set('origin', new URL(url).origin);
  if (json === undefined) return fetch(url, { ...init, headers: all });
  if (!all.has('content-type')) all.set('content-type', 'application/json');
  return fetch(url, { ...init, headers: all, body: JSON.stringify(json) });
}

/**
 * Signs in.
 * @returns the `cookie` header to send
 */
export async function signIn(
  url: string,
  email: string = ADMIN.email,
  password: string = ADMIN.password,
): Promise<string> {
  const answer = await request(`${url}/svc/api/auth/login`, { method: 'POST', json: { email, password } });
  if (answer.status !== 204) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`);
  const cookie = answer.headers.getSetCookie()[0];
  if (cookie === undefined) throw new Error('sign-in set no cookie');
  return cookie.split(';', 1)[0] as string;
}

/** A key pair as scripts use it. */
export interface KeyPair {
  /** Id of the token. */
  readonly id: string;
  readonly accessKey: string;
  readonly token: string;
  /** The two headers that contain the key pair. */
  readonly headers: Readonly<Record<'x-svc-access-key' | 'x-svc-token', string>>;
}

/** Creates a token for the owner of the cookie. */
export async function makeToken(
  url: string,
  cookie: string,
  input: { name?: string; scopes?: string[]; expiresAt?: string | null } = {},
): Promise<KeyPair> {
  const client = new SvcClient({ url, credential: { cookie } });
  const { id, token } = await client.createToken({ name: 'test', ...input });
  const { accessKey } = await client.call('accessKey');
  return { id, accessKey, token, headers: { 'x-svc-access-key': accessKey, 'x-svc-token': token } };
}

/** Creates a user as the owner of the cookie, with a password of their own, and signs them in. */
export async function makeUser(
  url: string,
  cookie: string,
  user: { email: string; role?: Role; password?: string },
): Promise<{ id: string; email: string; password: string; cookie: string }> {
  const password = user.password ?? 'a password for tests';
  const { id } = await new SvcClient({ url, credential: { cookie } }).call('createUser', {
    body: { name: user.email, role: 'Member', ...user, password },
  });
  return { id, email: user.email, password, cookie: await signIn(url, user.email, password) };
}

export interface LabInfo {
  readonly url: string;
  readonly basePath: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** @returns what the lab publishes about itself (contract 9) */
export function labInfo(url: string): Promise<LabInfo> {
  return ok(request(`${url}/svc/lab.json`));
}

async function ok(answering: Promise<Response>) {
  const answer = await answering;
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:SVC_|APPIUM_|PORT$|HOST$|NODE_OPTIONS$|NODE_V8_COVERAGE$)/.test(name),
  );
  return Object.fromEntries(kept);
}

const children = new Set<ChildProcess>();
const folders = new Set<string>();

/** Ends the processes and removes the folders of a test file. */
ends.push(async () => {
  await Promise.all(
    [...children].map((child) => new Promise((gone) => child.once('close', gone).kill('SIGKILL'))),
  );
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
});
