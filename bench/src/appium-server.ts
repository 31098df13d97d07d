import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type KeyPair, keyPairHeaders, SvcClient } from '@svc/client';
import { freePort } from './free-port.ts';
import { type Call, callerOf } from './http-call.ts';

const labPackage = createRequire(import.meta.url).resolve('@svc/lab/package.json');
const APPIUM = createRequire(labPackage).resolve('appium');
export const EMAIL = 'bench@svc.local';
export const PASSWORD = 'a password of benches';
const START_MS = 60_000;

/** An Appium in its own process, with one session. */
export interface AppiumUnderTest {
  readonly url: string;
  /**
   * Sends one cheap command with credentials to one session after the other.
   * @returns how many milliseconds the command took
   */
  command(): Promise<number>;
  /** Opens another session, which gets its turn of the commands. */
  open(): Promise<void>;
  /**
   * Ends the first session and opens another one instead.
   * @returns how many milliseconds the create-session request took
   */
  reopen(): Promise<number>;
  /**
   * Opens a session that `command` does not use. It stays open without commands.
   * @param options further `svc:options`
   * @returns its id
   */
  openIdle(options: object): Promise<string>;
  /**
   * Sends a GET request with credentials.
   * @returns the parsed body of the response
   */
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** A plugin by another author. */
export interface PeerPlugin {
  /** The `APPIUM_HOME` in which the plugin is installed. */
  readonly home: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Called when Appium responds, before the first session. */
  prepare(call: Call, url: string): Promise<void>;
  /** Called when Appium has ended. */
  remove(): void;
}

export interface AppiumOptions {
  /** With true, our plugin checks a key pair of every command. With false, it is plain Appium. */
  readonly plugin: boolean | PeerPlugin;
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Capabilities of the sessions that take turns, if they do not use the fake driver. */
  readonly capabilities?: object;
  /** Path of the command below the session; by default one that the driver answers without its phone. */
  readonly commandPath?: string;
}

/** Starts Appium and opens the first session. */
export async function startAppium({
  plugin,
  env = {},
  capabilities,
  commandPath = '/timeouts',
}: AppiumOptions): Promise<AppiumUnderTest> {
  const peer = typeof plugin === 'object' ? plugin : undefined;
  const ours = plugin === true;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const args = ['server', '--address', '127.0.0.1', '--port', String(port), '--log-level', 'error'];
  const use = ours ? ['--use-plugins', 'svc'] : (peer?.args ?? []);
  const child = spawn(process.execPath, [APPIUM, ...args, ...use], {
    env: {
      PATH: process.env.PATH,
      APPIUM_HOME: dirname(labPackage),
      SVC_DATA_DIR: folder,
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_BCRYPT_COST: '10',
      SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL,
      SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      ...(peer && { APPIUM_HOME: peer.home, ...peer.env }),
      ...env,
    },
    stdio: ['ignore', 'ignore', peer ? 'ignore' : 'inherit'],
  });
  const agent = new Agent({ keepAlive: true });
  const url = `http://127.0.0.1:${port}`;
  const call = callerOf(url, agent);
  const stop = async () => {
    agent.destroy();
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
    peer?.remove();
  };
  const ids: string[] = [];
  let pair: KeyPair | undefined;
  const open = async () => {
    ids.push(await createSession(call, pair, capabilities));
  };
  try {
    await answering(call, child);
    await peer?.prepare(call, url);
    if (ours) pair = await keyPair(url);
    await open();
  } catch (error) {
    await stop();
    throw error;
  }
  let next = 0;
  // Bare Appium gets headers of the same length, although it ignores them.
  const sent = { headers: keyPairHeaders(pair ?? NO_PAIR) };
  return {
    url,
    command: async () => {
      const { took, status } = await call('GET', `/session/${ids[next++ % ids.length]}${commandPath}`, sent);
      if (status !== 200) throw new Error(`a command got the status ${status}`);
      return took;
    },
    open,
    reopen: async () => {
      await call('DELETE', `/session/${ids.shift()}`, sent);
      const began = performance.now();
      await open();
      return performance.now() - began;
    },
    openIdle: (options) =>
      createSession(call, pair, { 'svc:options': { ...pair, ...options }, 'appium:newCommandTimeout': 0 }),
    get: async (path) => JSON.parse((await call('GET', path, sent)).text),
    stop,
  };
}

async function answering(call: Call, child: ChildProcess): Promise<void> {
  const answer = async () => (await call('GET', '/status').catch(() => undefined))?.status === 200;
  for (const end = performance.now() + START_MS; !(await answer()); await after(50)) {
    if (child.exitCode !== null || performance.now() > end) throw new Error('Appium did not start');
  }
}

const NO_PAIR: KeyPair = { accessKey: `svc_${'x'.repeat(24)}`, token: `svct_${'x'.repeat(49)}` };

async function keyPair(url: string): Promise<KeyPair> {
  const client = new SvcClient({ url });
  await client.signIn(EMAIL, PASSWORD);
  const { token } = await client.createToken({ name: 'bench' });
  const { accessKey } = await client.call('accessKey');
  return { accessKey, token };
}

export async function createSession(
  call: Call,
  pair: KeyPair | undefined,
  further: object = {},
): Promise<string> {
  const alwaysMatch = {
    platformName: 'Fake',
    'appium:automationName': 'Fake',
    'appium:deviceName': 'Fake',
    'appium:app': join(dirname(labPackage), 'app', 'notes.xml'),
    ...(pair && { 'svc:options': pair }),
    ...further,
  };
  const { status, text } = await call('POST', '/session', {
    json: { capabilities: { alwaysMatch, firstMatch: [{}] } },
  });
  if (status !== 200) throw new Error(`a create got the status ${status}`);
  return JSON.parse(text).value.sessionId;
}
