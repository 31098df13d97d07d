import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { keyPairHeaders, SvcClient, withCredentials } from '@svc/client';

const { resolve } = createRequire(import.meta.url);
const labPackage = resolve('@svc/lab/package.json');
const EMAIL = 'bench@svc.local';
const PASSWORD = 'a password of benches';
const START_MS = 120_000;
const GRID = '4.41.0';
const FAKE = { platformName: 'Fake', 'appium:automationName': 'Fake', 'appium:deviceName': 'Fake' };

export type Headers = Readonly<Record<string, string>>;

/** Selenium Grid (hub, node, and an Appium with the fake driver), the entrance in front of it, and one session. */
export interface GridServers {
  /** Address of a cheap command on the grid's own router, and on the entrance. */
  readonly grid: string;
  readonly entrance: string;
  /** Headers that the entrance requires. */
  readonly headers: Headers;
  stop(): void;
}

/** Uses Maven, which caches the files. */
function classPath(folder: string): string {
  const grid = `<groupId>org.seleniumhq.selenium</groupId><artifactId>selenium-grid</artifactId><version>${GRID}</version>`;
  const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>svc</groupId><artifactId>bench</artifactId><version>1</version><dependencies><dependency>${grid}</dependency></dependencies></project>`;
  writeFileSync(join(folder, 'pom.xml'), pom);
  const goal = ['dependency:build-classpath', `-Dmdep.outputFile=${join(folder, 'classpath')}`];
  execFileSync('mvn', ['--quiet', '--batch-mode', ...goal], { cwd: folder, stdio: 'inherit' });
  return readFileSync(join(folder, 'classpath'), 'utf8').trim();
}

export async function startGrid(): Promise<GridServers> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const children: ChildProcess[] = [];
  const stop = () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const ports = await Promise.all(Array.from({ length: 6 }, freePort));
    const [appium, hub, node, publish, subscribe, entrance] = ports.map(String) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const run = (program: string, args: readonly string[], env: Headers = {}) => {
      const stdio = ['ignore', 'ignore', 'inherit'] as const;
      children.push(spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: [...stdio] }));
    };
    const at = (port: string) => `http://127.0.0.1:${port}`;
    const here = (port: string) => ['--host', '127.0.0.1', '--port', port, '--log-level', 'WARNING'];
    const events = ['--publish-events', `tcp://127.0.0.1:${publish}`];
    events.push('--subscribe-events', `tcp://127.0.0.1:${subscribe}`);
    const java = ['-cp', classPath(folder), 'org.openqa.selenium.grid.Bootstrap'];
    const relay = `[node]\ndetect-drivers = false\n[relay]\nurl = "${at(appium)}"\nconfigs = ["1", ${JSON.stringify(JSON.stringify(FAKE))}]\n`;
    writeFileSync(join(folder, 'node.toml'), relay);
    const listen = ['server', '--address', '127.0.0.1', '--port', appium, '--log-level', 'error'];
    run(process.execPath, [createRequire(labPackage).resolve('appium'), ...listen], {
      APPIUM_HOME: dirname(labPackage),
    });
    run('java', [...java, 'hub', ...here(hub), ...events]);
    const config = ['--config', join(folder, 'node.toml'), '--grid-url', at(hub)];
    run('java', [...java, 'node', ...here(node), ...config, ...events]);
    run(process.execPath, [resolve('@svc/api/main.js')], {
      PORT: entrance,
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_UPSTREAM: at(hub),
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_BCRYPT_COST: '10',
      SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL,
      SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      SVC_LOG_LEVEL: 'error',
    });
    await ready(`${at(hub)}/status`, ({ value }) => value?.ready === true);
    await ready(`${at(entrance)}/svc/api/health/ready`, ({ ok }) => ok === true);
    const { id, headers } = await createSession(at(entrance));
    const command = `/session/${id}/timeouts`;
    return { grid: at(hub) + command, entrance: at(entrance) + command, headers, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

async function createSession(url: string): Promise<{ id: string; headers: Headers }> {
  const client = new SvcClient({ url });
  await client.signIn(EMAIL, PASSWORD);
  const { token } = await client.createToken({ name: 'bench' });
  const { accessKey } = await client.call('accessKey');
  const pair = { accessKey, token };
  const app = join(dirname(labPackage), 'app', 'notes.xml');
  const alwaysMatch = withCredentials({ ...FAKE, 'appium:app': app }, pair);
  const answer = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ capabilities: { alwaysMatch } }),
  });
  const { value } = (await answer.json()) as { value: { sessionId?: string } };
  if (value.sessionId === undefined) throw new Error(`no session: ${JSON.stringify(value)}`);
  return { id: value.sessionId, headers: { ...keyPairHeaders(pair) } };
}

/** Status of a grid or an entrance. */
interface ServerStatus {
  readonly ok?: boolean;
  readonly value?: { readonly ready?: boolean };
}

async function ready(url: string, isReady: (status: ServerStatus) => boolean): Promise<void> {
  const ask = async () => isReady((await (await fetch(url)).json()) as ServerStatus);
  for (const end = performance.now() + START_MS; !(await ask().catch(() => false)); await after(200))
    if (performance.now() > end) throw new Error(`${url} did not get ready`);
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
