import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labInfo, makeToken, makeUser, type RunningServer, signIn, startLab } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp, pythonWith, type Ran, run, runFolder, runOrThrow } from '../support/programs.ts';

/** Runs the programs of basic.md: released clients that get the address of the lab and no library of svc. */

const PAGE = readPage('docs/clients/basic.md');

let lab: RunningServer;
let python: string;
let env: Record<string, string>;
let secrets: readonly string[];

beforeAll(async () => {
  lab = await startLab({
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true', SVC_LAB_LOG_LEVEL: 'debug' },
  });
  // A Member, because an admin could drive a session without owning it.
  const { cookie } = await makeUser(lab.url, await signIn(lab.url), { email: 'basic@example.com' });
  const { accessKey, token } = await makeToken(lab.url, cookie);
  const address = new URL(lab.url);
  address.username = accessKey;
  address.password = token;
  env = {
    SVC_ADDRESS: address.href.replace(/\/$/, ''),
    SVC_CAPABILITIES: JSON.stringify((await labInfo(lab.url)).capabilities),
  };
  secrets = [token, Buffer.from(`${accessKey}:${token}`).toString('base64')];
  python = await pythonWith(PAGE.block('requirements.txt'));
}, 300_000);
afterAll(async () => {
  cleanUp();
  await lab?.stop();
});

const inPython =
  (...args: string[]) =>
  (cwd: string) =>
    run(python, ['-W', 'ignore', ...args], { cwd, env });
const inNode = (file: string) => (cwd: string) => run(process.execPath, [file], { cwd, env });

async function inJava(cwd: string): Promise<Ran> {
  const pom = readPage('docs/clients/java.md').block('pom.xml');
  writeFileSync(join(cwd, 'pom.xml'), pom.replace('<mainClass>Example<', '<mainClass>WithBasic<'));
  return run('mvn', ['--quiet', '--batch-mode', 'compile', 'exec:java'], { cwd, env });
}

/** `go mod tidy` adds what the module itself needs, with the checksums that Go's database confirms. */
async function inGo(cwd: string): Promise<Ran> {
  await runOrThrow('go', ['mod', 'tidy'], { cwd });
  return run('go', ['run', '.'], { cwd, env });
}

const CLIENTS: readonly { client: string; start: (cwd: string) => Promise<Ran> }[] = [
  { client: 'Appium-Python-Client', start: inPython('with_appium.py') },
  { client: 'Selenium for Python', start: inPython('with_selenium.py') },
  { client: 'splinter', start: inPython('with_splinter.py') },
  { client: 'Robot Framework', start: inPython('-m', 'robot', 'lab.robot') },
  { client: 'selenium-webdriver', start: inNode('with-selenium-webdriver.mjs') },
  { client: 'WebdriverIO', start: inNode('with-webdriverio.mjs') },
  { client: 'java-client', start: inJava },
  { client: 'tebeka/selenium', start: inGo },
];

describe('the programs of basic.md, against a lab that checks everything', () => {
  test.for(CLIENTS)(
    '$client creates, drives and ends a session with the address alone, and the lab logs no secret (contract 15.1, 15.2)',
    async ({ start }) => {
      const folder = runFolder('basic');
      PAGE.writeTo(folder);
      const { code, output } = await start(folder);
      expect(output).toMatch(/source: [1-9]\d*/);
      expect(code, output).toBe(0);
      // Robot Framework writes this file.
      const report = join(folder, 'output.xml');
      const written = existsSync(report) ? readFileSync(report, 'utf8') : '';
      for (const secret of secrets) {
        expect(written).not.toContain(secret);
        expect(lab.output()).not.toContain(secret);
      }
      const listed = await lab.api('/sessions?status=running', {
        headers: { cookie: await signIn(lab.url) },
      });
      expect(await listed.json()).toEqual([]);
    },
  );
});
