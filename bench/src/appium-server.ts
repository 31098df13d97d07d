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
const EMAIL = 'bench@svc.local';
const PASSWORD = 'a password of benches';
const START_MS = 60_000;

/** An Appium in a process of its own, with one session on it. */
export interface AppiumUnderTest {
  /** One cheap command to the sessions in turn, with all its sender has to send; answers how many milliseconds it took. */
  command(): Promise<number>;
  /** One more session. */
  open(): Promise<void>;
  stop(): Promise<void>;
}

/** With the plugin, every command is checked and carries a key pair; without, it is Appium as it comes. */
export async function startAppium({ plugin }: { plugin: boolean }): Promise<AppiumUnderTest> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const args = ['server', '--address', '127.0.0.1', '--port', String(port), '--log-level', 'error'];
  const child = spawn(process.execPath, [APPIUM, ...args, ...(plugin ? ['--use-plugins', 'svc'] : [])], {
    env: {
      PATH: process.env.PATH,
      APPIUM_HOME: dirname(labPackage),
      SVC_DATA_DIR: folder,
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_BCRYPT_COST: '10',
      SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL,
      SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const agent = new Agent({ keepAlive: true });
  const url = `http://127.0.0.1:${port}`;
  const call = callerOf(url, agent);
  await answering(call, child);
  const pair = plugin ? await keyPair(url) : undefined;
  const paths: string[] = [];
  const open = async () => {
    paths.push(`/session/${await createSession(call, pair)}/timeouts`);
  };
  await open();
  let next = 0;
  // Bare Appium is sent as many bytes, which mean nothing to it.
  const sent = { headers: keyPairHeaders(pair ?? NO_PAIR) };
  return {
    command: async () => {
      const { took, status } = await call('GET', paths[next++ % paths.length] as string, sent);
      if (status !== 200) throw new Error(`a command was answered with ${status}`);
      return took;
    },
    open,
    stop: async () => {
      const exited = once(child, 'exit');
      agent.destroy();
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
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

async function createSession(call: Call, pair: KeyPair | undefined): Promise<string> {
  const device = {
    platformName: 'Fake',
    'appium:automationName': 'Fake',
    'appium:deviceName': 'Fake',
    'appium:app': join(dirname(labPackage), 'app', 'notes.xml'),
  };
  const alwaysMatch = pair === undefined ? device : { ...device, 'svc:options': pair };
  const { text } = await call('POST', '/session', { json: { capabilities: { alwaysMatch } } });
  return JSON.parse(text).value.sessionId;
}
