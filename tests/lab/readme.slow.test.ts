import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, signIn, startApi, startLab } from '../support/lab.ts';
import { type Page, readPage } from '../support/pages.ts';
import { cleanUp, run, runFolder } from '../support/programs.ts';

const SVC = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

let lab: RunningServer;

beforeAll(async () => {
  lab = await startLab({
    env: { SVC_REQUIRE_SESSION_TOKEN: 'true', SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_LAB_LOG_LEVEL: 'debug' },
  });
});
afterAll(async () => {
  cleanUp();
  await lab?.stop();
});

/** Runs blocks of the page in one shell. Only the port is changed. */
async function paste(page: Page, files: readonly string[], last = ''): Promise<string> {
  const folder = runFolder('readme');
  page.writeTo(folder);
  const text = [...files.map((file) => page.block(file)), last].join('\n');
  const { code, output } = await run('sh', ['-e', '-c', text.replaceAll('http://127.0.0.1:4723', lab.url)], {
    cwd: folder,
  });
  expect(code, output).toBe(0);
  return output;
}

/** Approves a terminal's code with the request that the page sends. */
async function approve(code: string): Promise<void> {
  const cookie = await signIn(lab.url);
  const answer = await lab.api(`/auth/device/${code}`, {
    method: 'POST',
    headers: { cookie, origin: lab.url, 'content-type': 'application/json' },
    body: JSON.stringify({ approve: true }),
  });
  expect(answer.status).toBe(204);
}

describe('the first day, as pasted', () => {
  test('docs/clients/webdriverio.md: a terminal signs in, and the first test runs with what it stored (contract 9, 10.7)', async () => {
    const page = readPage('docs/clients/webdriverio.md');
    const folder = runFolder('readme');
    page.writeTo(folder);
    const [, address = ''] = /^npx -y pnpm@10 svc login (\S+)\n$/.exec(page.block('login.sh')) ?? [];
    expect(address).toBe('http://127.0.0.1:4723');
    const env = { PATH: process.env.PATH, HOME: folder };
    const login = spawn(process.execPath, [SVC, 'login', lab.url], { env });
    let printed = '';
    login.stdout.setEncoding('utf8');
    for await (const text of login.stdout) {
      printed += text;
      const code = /[A-Z]{4}-[A-Z]{4}(?=\n)/.exec(printed)?.[0];
      if (code !== undefined && !printed.includes('Signed in')) await approve(code);
    }
    expect(printed).toContain(`Signed in to ${lab.url}`);
    const test = await run(process.execPath, ['first-test.mjs'], {
      cwd: folder,
      env: { HOME: folder, XDG_CONFIG_HOME: '' },
    });
    expect(test.code, test.output).toBe(0);
    expect(test.output).toMatch(/^[0-9a-f-]{36}: page source of [1-9]\d* characters$/m);
    const { token } = JSON.parse(readFileSync(join(folder, '.config/svc/credentials.json'), 'utf8'))[lab.url];
    expect(token).toMatch(/^svct_\w{49}$/);
    for (const output of [printed, test.output, lab.output()]) expect(output).not.toContain(token);
  });

  test('the install lines of the pages name the version that is tested (contract 9)', () => {
    const file = new URL('../package.json', import.meta.url);
    const { devDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    for (const page of ['docs/clients/webdriverio.md', 'docs/clients/token.md']) {
      expect(readPage(page).text).toMatch(
        new RegExp(`^npm install webdriverio@${devDependencies.webdriverio}(?: |$)`, 'm'),
      );
    }
  });

  test.each(['sh', 'bash'])(
    'docs/clients/token.md: %s makes a token with a password of quotes, backslashes, dollars and blanks (contract 9)',
    async (shell) => {
      const password = `it's "a" \\b \\\\ $HOME \`id\` $(id) %s & ü`;
      const server = await startApi({ env: { SVC_BOOTSTRAP_ADMIN_PASSWORD: password } });
      const pasted = readPage('docs/clients/token.md')
        .block('make-token.sh')
        .replace('http://127.0.0.1:4723', server.url)
        .replace(/^LAB_PASSWORD=.*$/m, () => `LAB_PASSWORD='${password.replaceAll("'", "'\\''")}'`);
      const check = readPage('docs/clients/token.md').block('check-token.sh');
      const { code, output } = await run(shell, ['-e', '-c', `${pasted}\n${check}`], {
        cwd: runFolder('token'),
      });
      await server.stop();
      expect(code, output).toBe(0);
      expect(output).toContain('"email":"admin@svc.local"');
    },
  );

  test.each(['docs/guides/install.md', 'apps/appium-plugin/README.md'])(
    '%s: the first account gets a generated password that needs no replacing (contract 5)',
    async (page) => {
      const lines = readPage(page).text.split('\n');
      const first = lines.findIndex((line) => line.startsWith('export SVC_BOOTSTRAP_ADMIN_EMAIL='));
      const block = lines.slice(first, first + 3).join('\n');
      const shown: string[] = [];
      for (const shell of ['sh', 'bash']) {
        const env = 'printf "%s\\n" "$SVC_BOOTSTRAP_ADMIN_PASSWORD"';
        const { code, output } = await run(shell, ['-e', '-c', `${block}\n${env}`], {
          cwd: runFolder('account'),
        });
        expect(code, output).toBe(0);
        const [told, password = ''] = output.trim().split('\n');
        expect(told).toBe(`Sign in with the password ${password}`);
        expect(password).toMatch(/^[\w-]{24}$/);
        shown.push(password);
      }
      expect(new Set(shown).size).toBe(2);
    },
  );

  test('docs/clients/token.md: the token is made and checked, and the test runs with it (contract 9)', async () => {
    const page = readPage('docs/clients/token.md');
    const last = 'echo; node first-test.mjs; echo "token $SVC_TOKEN"';
    const output = await paste(page, ['make-token.sh', 'check-token.sh'], last);
    expect(output).toContain('"email":"admin@svc.local"');
    expect(output).toMatch(/^[0-9a-f-]{36}: page source of [1-9]\d* characters$/m);
    const token = /^token (svct_\w{49})$/m.exec(output)?.[1] as string;
    expect(token).toBeDefined();
    expect(output.replace(`token ${token}`, '')).not.toContain(token);
    expect(lab.output()).not.toContain(token);
  });
});
