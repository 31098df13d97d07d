import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '@svc/api/host.js';
import { idOf, sampleEntry, silentLog } from '@svc/auth-core/testing';
import { openStore } from '@svc/store-sqlite';
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest';
import { runCli } from '../src/program.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let dataDir: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'svc-cli-')), 'data');
  folders.push(join(dataDir, '..'));
});

/**
 * Runs a command of `svc`.
 * @param answer response of the person at the terminal, or undefined if there is no terminal
 */
async function svc(
  args: readonly string[],
  { answer, input = '' }: { answer?: boolean; input?: string } = {},
) {
  let out = '';
  let err = '';
  const asked: string[] = [];
  const code = await runCli(args, {
    env: { SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    input: async () => input,
    confirm: async (question) => {
      asked.push(question);
      return answer;
    },
  });
  return { code, out, err, asked };
}

describe('svc: what was typed', () => {
  it('--version is the version alone', async () => {
    expect(await svc(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '', asked: [] });
  });

  test.each([
    [[], 0],
    [['admin', 'list'], 0],
    [['admin', 'create'], 0],
    [['admin', 'reset-password'], 0],
    [['admin', 'promote'], 0],
    [['admin', 'demote'], 0],
    [['admin', 'activate'], 0],
    [['admin', 'deactivate'], 0],
    [['admin', 'tokens'], 0],
    [['admin', 'revoke'], 0],
    [['audit', 'verify'], 0],
    [['migrate'], 0],
    [['upgrade'], 0],
    [['backup'], 0],
    [['backup', 'list'], 0],
    [['backup', 'verify'], 0],
    [['restore'], 0],
    [['leftovers'], 0],
    [['login'], 0],
    [['logout'], 0],
    [['whoami'], 0],
    [['report'], 0],
    [['token'], 0],
  ])('%j --help tells its use', async (command, code) => {
    const { out, ...rest } = await svc([...command, '--help']);
    expect(rest).toMatchObject({ code, err: '' });
    expect(out).toContain(`Usage: ${['svc', ...command].join(' ')} `);
  });

  test.each([
    [[]],
    [['admin']],
    [['admin', 'reset-password']],
    [['admin', 'reset-password', 'a@lab.test', 'b@lab.test']],
    [['admin', 'create', 'a@lab.test', '--role', 'Owner']],
    [['admin', 'promote', 'a@lab.test', '--role', 'Member']],
    [['admin', 'demote', 'a@lab.test', '--role', 'Super admin']],
    [['admin', 'deactivate']],
    [['admin', 'revoke']],
    [['audit', 'verify', 'twice']],
    [['audit', 'check']],
    [['migrate', '--force']],
    [['restore']],
    [['audit', 'export', '--since', 'yesterday']],
    [['backup', '--keep', '0']],
    [['backup', 'verify']],
    [['--nonsense']],
    [['nonsense']],
    [['login']],
    [['login', 'a', 'b']],
    [['logout', '--all']],
    [['report']],
    [['token']],
    [['token', 'check', 'svct_typed']],
  ])('%j is no command: 2, and standard output stays empty', async (args) => {
    const { code, out, err } = await svc(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/Usage|--help/);
  });
});

describe('svc without a database', () => {
  test.each([[['admin', 'reset-password', 'a@lab.test']], [['audit', 'verify']], [['migrate']]])(
    '%j says where it looked and how to name another folder, and makes nothing',
    async (args) => {
      const { code, out, err } = await svc(args);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain(join(dataDir, 'svc.db'));
      expect(err).toContain('--data-dir <folder> or SVC_DATA_DIR');
      expect(err).not.toContain('SVC_AUTO_MIGRATE');
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  it('--data-dir wins over the variable', async () => {
    const other = join(dataDir, 'other');
    const { err } = await svc(['audit', 'verify', '--data-dir', other]);
    expect(err).toContain(join(other, 'svc.db'));
  });
});

describe('svc admin', () => {
  it('svc admin prints a line an account, tabs between, and JSON for programs', async () => {
    await svc(['migrate', '--yes']);
    const first = await svc(['admin', 'create', 'boss@lab.test', '--role', 'super-admin']);
    expect(first.out).toMatch(/^(\w{4}-){3}\w{4}\n$/);
    const second = await svc(['admin', 'create', 'ann@lab.test', '--password-stdin', '--json'], {
      input: 'correct horse\r\n',
    });
    expect(JSON.parse(second.out)).toMatchObject({
      email: 'ann@lab.test',
      name: 'ann@lab.test',
      role: 'Member',
    });
    expect(second.out).not.toContain('correct horse');
    await svc(['admin', 'deactivate', 'ann@lab.test']);
    expect((await svc(['admin', 'list'])).out).toBe(
      'boss@lab.test\tSuper admin\tActive\tnever\ttemporary password\nann@lab.test\tMember\tInactive\tnever\t\n',
    );
    const listed = JSON.parse((await svc(['admin', 'list', '--json'])).out);
    expect(listed.map(({ status }: { status: string }) => status)).toEqual(['Active', 'Inactive']);
    expect(await svc(['admin', 'tokens'])).toMatchObject({ code: 0, out: '' });
  });

  test.each([
    [['create', 'BOSS@lab.test'], 'another account already has this e-mail address'],
    [['create', 'nobody'], 'this is not an e-mail address'],
    [['create', 'a@lab.test', '--name', ' '], 'a name has 1 to 100 characters'],
    [['deactivate', 'boss@lab.test'], 'the last active Super admin cannot be changed'],
    [['demote', 'boss@lab.test'], 'the last active Super admin cannot be changed'],
    [['promote', 'boss@lab.test'], 'boss@lab.test is Super admin: use `svc admin demote`'],
    [['promote', 'eve@lab.test'], 'there is no account eve@lab.test'],
    [['reset-password', 'eve@lab.test'], 'there is no account eve@lab.test'],
    [['tokens', 'eve@lab.test'], 'there is no account eve@lab.test'],
    [['revoke', 'eve'], 'there is no key or token with this id'],
  ])('%j: 1, and a sentence that says why', async (args, why) => {
    await svc(['migrate', '--yes']);
    await svc(['admin', 'create', 'boss@lab.test', '--role', 'Super admin']);
    const { code, out, err } = await svc(['admin', ...args]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(why);
  });
});

describe('svc migrate', () => {
  it('svc migrate asks before it makes a database, and makes none if the answer is no', async () => {
    const no = await svc(['migrate'], { answer: false });
    expect(no).toMatchObject({ code: 1, out: '' });
    expect(no.asked).toEqual([expect.stringContaining(join(dataDir, 'svc.db'))]);
    expect(existsSync(dataDir)).toBe(false);
    expect(await svc(['migrate'], { answer: true })).toMatchObject({ code: 0 });
    expect(await svc(['audit', 'verify'])).toMatchObject({ code: 0 });
    expect((await svc(['audit', 'head'])).out).toMatch(/^\d+ \S+\n$/);
  });

  it('--yes does not ask; with a database there is nothing to ask', async () => {
    expect(await svc(['migrate', '--yes'])).toMatchObject({ code: 0, asked: [] });
    expect(await svc(['migrate'])).toMatchObject({ code: 0, asked: [] });
  });
});

it('a database behind this version is told without blame of a variable nobody set (contract 5)', async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'svc.db'), '');
  const { code, err } = await svc(['audit', 'verify']);
  expect(code).toBe(1);
  expect(err).toContain('svc upgrade');
  expect(err).not.toContain('SVC_AUTO_MIGRATE');
});

it('audit export prints every row as a line, oldest first (contract 2, /audit)', async () => {
  await svc(['migrate', '--yes']);
  const store = await openStore({
    file: join(dataDir, 'svc.db'),
    clock: { now: Date.now },
    log: silentLog(),
    autoMigrate: false,
  });
  const at = Date.UTC(2026, 0, 1);
  for (const nth of [0, 1, 2])
    store.transaction((tx) =>
      tx.audit.append(sampleEntry(`row ${nth}`, { at: at + nth, id: idOf(`row ${nth}`) })),
    );
  const head = store.audit.head();
  store.close();
  const { code, out, err } = await svc(['audit', 'export']);
  expect(code).toBe(0);
  expect(err).toContain(`3 rows; head ${head.count} ${head.hash}`);
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.map(({ id }) => id)).toEqual([0, 1, 2].map((nth) => idOf(`row ${nth}`)));
  expect(rows[1]).toMatchObject({ at: '2026-01-01T00:00:00.001Z', previousHash: rows[0].hash });
  const since = await svc(['audit', 'export', '--since', '2026-01-01T00:00:00.002Z']);
  expect(since.out.trim().split('\n')).toHaveLength(1);
});
