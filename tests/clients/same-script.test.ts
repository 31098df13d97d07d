import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startEntrance } from '../grid/support/entrance.ts';
import { type SeleniumGrid, startSeleniumGrid } from '../grid/support/selenium-grid.ts';
import { devicesOf, isThere, startHub, startNode, until } from '../hub/support/hub.ts';
import { FAKE_PHONE } from '../support/appium.ts';
import { labInfo, type RunningServer, signIn, startLab } from '../support/lab.ts';
import { type Page, readPage } from '../support/pages.ts';
import { cleanUp, type Ran, run, runFolder, withoutColour } from '../support/programs.ts';
import { makePerson, type Person } from '../support/sessions.ts';

/** One scenario in three languages, with every kind of server. All three programs must print the same. */

const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };

const PRINTED = {
  'created without credentials': 'session rejected',
  created: 'true',
  'credentials in the answer': 'false',
  typed: 'plumber',
  rows: '3',
  missing: 'no such element',
  source: 'true',
  'of another owner': 'invalid session id',
  'of a stranger': 'invalid session id',
  'still there': 'true',
  'after quit': 'invalid session id',
};

interface Program {
  readonly client: string;
  /** The documentation page whose files the script uses. */
  readonly page: string;
  readonly script: string;
  /** Whether the client can open a BiDi socket with headers. */
  readonly bidi?: true;
  readonly prepare?: (folder: string, page: Page) => Promise<Ran>;
  readonly start: (folder: string, address: string, env: Record<string, string>) => Promise<Ran>;
}

const MAVEN = ['--quiet', '--batch-mode'];
const PROGRAMS: readonly Program[] = [
  {
    client: 'WebdriverIO',
    page: 'webdriverio.md',
    script: 'scenario.mjs',
    bidi: true,
    start: (cwd, address, env) => run(process.execPath, ['scenario.mjs', address], { cwd, env }),
  },
  {
    client: 'Appium-Python-Client',
    page: 'python.md',
    script: 'scenario.py',
    start: (cwd, address, env) => run(inject('python'), ['scenario.py', address], { cwd, env }),
  },
  {
    client: 'java-client',
    page: 'java.md',
    script: 'src/main/java/Scenario.java',
    prepare: (cwd, page) => {
      const pom = page.block('pom.xml').replace('<mainClass>Example<', '<mainClass>Scenario<');
      writeFileSync(join(cwd, 'pom.xml'), pom);
      return run('mvn', [...MAVEN, 'compile'], { cwd });
    },
    start: (cwd, address, env) => run('mvn', [...MAVEN, 'exec:java', `-Dexec.args=${address}`], { cwd, env }),
  },
];

/** A kind of server that the clients use. */
interface Target {
  readonly name: string;
  /** Expected output of `bidi`. The relay of a Selenium Grid does not offer BiDi for the fake driver. */
  readonly bidi: 'true' | 'not offered';
  readonly start: () => Promise<{ server: RunningServer; admin: string; capabilities: object }>;
}

const TARGETS: readonly Target[] = [
  {
    name: 'a single server',
    bidi: 'true',
    start: async () => {
      const server = await startLab({ env: STRICT });
      return { server, admin: await signIn(server.url), ...(await labInfo(server.url)) };
    },
  },
  {
    name: 'a hub with a node',
    bidi: 'true',
    start: async () => {
      const hub = await startHub({ env: STRICT });
      await startNode(hub, { prefix: 'far', env: { SVC_LAB_DEVICES: '3' } });
      await until(() => devicesOf(hub, hub.admin), isThere('far-3'));
      return { server: hub, ...hub, ...(await labInfo(hub.url)) };
    },
  },
  {
    name: 'the entrance of a Selenium Grid',
    bidi: 'not offered',
    start: async () => {
      grid = await startSeleniumGrid();
      const entrance = await startEntrance(grid.url, { env: STRICT });
      return { server: entrance, admin: entrance.admin, capabilities: FAKE_PHONE };
    },
  },
];

const folders = new Map<Program, string>();
let grid: SeleniumGrid | undefined;

beforeAll(async () => {
  for (const program of PROGRAMS) {
    const folder = runFolder(`script-${program.client}`);
    const page = readPage(`docs/clients/${program.page}`);
    page.writeTo(folder);
    const script = join(folder, program.script);
    mkdirSync(dirname(script), { recursive: true });
    cpSync(fileURLToPath(new URL(`./scripts/${script.split('/').at(-1)}`, import.meta.url)), script);
    const prepared = await program.prepare?.(folder, page);
    expect(prepared?.code ?? 0, prepared?.output).toBe(0);
    folders.set(program, folder);
  }
}, 300_000);
afterAll(async () => {
  cleanUp();
  await grid?.stop();
});

describe.each(TARGETS)('$name', ({ start, bidi }) => {
  let server: RunningServer;
  let capabilities: object;
  let own: Person;
  let other: Person;

  beforeAll(async () => {
    const started = await start();
    ({ server, capabilities } = started);
    own = await makePerson(server, started.admin, 'own@example.test');
    other = await makePerson(server, started.admin, 'other@example.test');
  });

  test.each(PROGRAMS)(
    '$client tells what every client tells of every server (contract 8, clients)',
    async (program) => {
      const env = {
        SVC_ACCESS_KEY: own.accessKey,
        SVC_TOKEN: own.token,
        SVC_OTHER_ACCESS_KEY: other.accessKey,
        SVC_OTHER_TOKEN: other.token,
        SVC_CAPABILITIES: JSON.stringify(capabilities),
      };
      const folder = folders.get(program) as string;
      const { code, output } = await program.start(folder, server.url, env);
      expect(code, output).toBe(0);
      const printed = Object.fromEntries(
        [...withoutColour(output).matchAll(/^([a-z ]+): (.*)$/gm)].map(([, step, result]) => [step, result]),
      );
      expect(printed).toEqual({ ...PRINTED, ...(program.bidi ? { bidi } : {}) });
      const listed = await server.api('/sessions', { headers: own.headers });
      expect(((await listed.json()) as { status: string }[]).map(({ status }) => status)).not.toContain(
        'running',
      );
    },
  );
});
