import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf, sampleAccount, sampleApiToken, silentLog } from '@svc/auth-core/testing';
import { type ConfigReading, readConfig } from '@svc/settings';
import { openStore } from '@svc/store-sqlite';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { examine } from '../src/doctor/doctor.ts';
import { checkConnectionLimit, checkNode } from '../src/doctor/nodes.ts';
import { checkTemporaryPasswords } from '../src/doctor/passwords.ts';
import { checkProxy } from '../src/doctor/proxy.ts';
import { checkScimKeys } from '../src/doctor/scim-keys.ts';
import { checkLog } from '../src/doctor/server.ts';
import { checkSettings } from '../src/doctor/settings.ts';
import { runCli } from '../src/program.ts';

let dataDir: string;
const servers: Server[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function configOf(env: Record<string, string> = {}): ConfigReading {
  const sources = {
    homeDir: '/nowhere',
    readFile: () => '',
    resolvePath: (...parts: string[]) => parts.join('/'),
  };
  return readConfig({ ...sources, env: { SVC_DATA_DIR: dataDir, ...env } });
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Opens the database of the data folder. */
const openHere = () =>
  openStore({
    file: join(dataDir, 'svc.db'),
    auditKeyFile: join(dataDir, 'audit-key'),
    clock: { now: Date.now },
    log: silentLog(),
    autoMigrate: true,
  });

/** Runs `svc doctor` with these environment variables only. */
async function svcDoctor(env: Record<string, string>): Promise<{ code: number; out: string }> {
  let out = '';
  const print = (text: string) => {
    out += text;
  };
  const silent = { input: async () => '', confirm: async () => undefined };
  const code = await runCli(['doctor'], {
    env: { SVC_DATA_DIR: dataDir, ...env },
    out: print,
    err: print,
    ...silent,
  });
  return { code, out };
}

it.each([
  [{}, null, 'warning'],
  [{}, 'http://192.0.2.1:4723', 'failure'],
  [{ SVC_REQUIRE_SESSION_TOKEN: 'true' }, 'http://192.0.2.1:4723', 'warning'],
  [{ SVC_REQUIRE_SESSION_TOKEN: 'true' }, 'http://127.0.0.1:4723', undefined],
])(
  'the first finding of %j at %s says that nothing is enforced, and fails beyond loopback',
  (env, address, outcome) => {
    const { config, warnings, unenforced } = configOf(env as Record<string, string>);
    const [first, ...more] = checkSettings({ config, warnings, unenforced }, address);
    expect(first?.check === 'enforcement' ? first.outcome : undefined).toBe(outcome);
    expect(more.map(({ check }) => check)).not.toContain('enforcement');
  },
);

const outcomes = (findings: readonly { check: string; outcome: string }[]) =>
  Object.fromEntries(findings.map(({ check, outcome }) => [check, outcome]));

describe('svc doctor', () => {
  it('svc doctor reports no failure for an empty folder, and creates nothing in it', async () => {
    const findings = await examine({ ...configOf(), basePath: '', now: Date.now() });
    expect(findings.filter(({ outcome }) => outcome === 'failure')).toEqual([]);
    expect(outcomes(findings)).toMatchObject({ schema: 'skipped', server: 'skipped', backups: 'skipped' });
  });

  it.each([
    ['0.0.0.0', 'failure'],
    ['[::]', 'failure'],
    ['127.0.0.1', 'warning'],
    ['[::1]', 'warning'],
  ])(
    'svc doctor takes the address %s on which the server listens, and not the one at which it reaches the server',
    async (host, outcome) => {
      const holder = { pid: process.pid, address: `${host}:1` };
      writeFileSync(join(dataDir, 'svc.lock.json'), JSON.stringify(holder));
      const findings = await examine({ ...configOf(), basePath: '', now: Date.now() });
      expect(outcomes(findings)).toMatchObject({ enforcement: outcome, server: 'failure' });
    },
  );

  it('every finding that is bad has a fix, none has a secret', async () => {
    chmodSync(dataDir, 0o755);
    writeFileSync(join(dataDir, 'signing-key.pem'), 'no key', { mode: 0o644 });
    const env = { SVC_PUBLIC_URL: 'http://127.0.0.1:1', SVC_METRICS_TOKEN: 'short', SVC_LOGLEVEL: 'x' };
    const findings = await examine({ ...configOf(env), basePath: '', now: Date.now() });
    expect(outcomes(findings)).toMatchObject({
      'file-modes': 'failure',
      'signing-key': 'failure',
      'spoofable-address': 'warning',
      settings: 'warning',
      proxy: 'failure',
    });
    for (const { outcome, fix } of findings)
      expect(fix === null).toBe(outcome === 'ok' || outcome === 'skipped');
    expect(JSON.stringify(findings)).not.toContain('no key');
  });

  test.each([
    ['SVC_REQUIRE_COMMAND_AUTH', 'ture', 'SVC_REQUIRE_COMMAND_AUTH is neither on'],
    ['SVC_REQUIRE_SESSION_TOKEN', 'enabled', 'SVC_REQUIRE_SESSION_TOKEN is neither on'],
    ['SVC_REQUIRE_COMMND_AUTH', 'true', 'did you mean SVC_REQUIRE_COMMAND_AUTH?'],
    ['SVC_TRUSTED_PROXY', '127.0.0.1', 'did you mean SVC_TRUSTED_PROXIES?'],
  ])(
    'svc doctor fails with %s=%s, which enforces nothing (contract 5, spec 5.7)',
    async (name, value, message) => {
      const { code, out } = await svcDoctor({ [name]: value });
      expect(code).toBe(1);
      expect(out).toMatch(
        /^FAILURE {2}settings: .*\n {9}-> Correct the variable and restart the server\. .*`Enforced:`/m,
      );
      expect(out).toContain(message);
    },
  );

  test.each([
    ['SVC_REQUIRE_COMMAND_AUTH', 'ON'],
    ['SVC_REQUIRE_COMMAND_AUTH', 'no'],
    ['SVC_LOGLEVEL', 'info'],
  ])('svc doctor does not fail with %s=%s (contract 5, spec 5.7)', async (name, value) => {
    expect(await svcDoctor({ [name]: value })).toMatchObject({ code: 0 });
  });

  const GIVEN = 'SVC_BOOTSTRAP_ADMIN_PASSWORD';
  test.each(['choose your own', 'svc-admin-please-change', 'password1', 'seven77'])(
    'svc doctor fails before the first start with the first password %s (contract 4, contract 5)',
    async (password) => {
      const { code, out } = await svcDoctor({ [GIVEN]: password });
      expect(code).toBe(1);
      expect(out).toMatch(/^FAILURE {2}default-password: SVC_BOOTSTRAP_ADMIN_PASSWORD is too short/m);
      expect(out).not.toContain(password);
      expect(await svcDoctor({ [GIVEN]: 'correct horse battery' })).toMatchObject({ code: 0 });
    },
  );

  it('svc doctor fails while an account has an example password, and warns of a variable that still has it (contract 5)', async () => {
    const { config } = configOf();
    const file = {
      file: config.databaseFile,
      auditKeyFile: join(dataDir, 'audit-key'),
      clock: { now: Date.now },
    };
    const stores = await openStore({ ...file, log: silentLog(), autoMigrate: true });
    stores.transaction((tx) => tx.accounts.insert(sampleAccount('boss', { defaultPassword: true })));
    stores.close();
    const bad = await svcDoctor({ [GIVEN]: 'choose your own' });
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(/^FAILURE {2}default-password: An active account/m);
    const changed = await openStore({ ...file, log: silentLog(), autoMigrate: true });
    changed.transaction((tx) => tx.accounts.update(sampleAccount('boss').id, { defaultPassword: false }));
    changed.close();
    const stale = await svcDoctor({ [GIVEN]: 'choose your own' });
    expect(stale.out).toMatch(/^WARNING {2}default-password: /m);
    expect(stale.code).toBe(0);
    const reset = { SVC_BOOTSTRAP_RESET_PASSWORD: 'true' };
    expect(await svcDoctor({ [GIVEN]: 'choose your own', ...reset })).toMatchObject({ code: 1 });
    expect(await svcDoctor(reset)).toMatchObject({ code: 1 });
  });

  it('svc doctor counts the temporary passwords of active accounts, by what became of them', async () => {
    const now = Date.now();
    const ends = { fresh: now + 1, used: Number.MAX_SAFE_INTEGER, late: now, gone: now + 1, own: null };
    const stores = await openHere();
    stores.transaction((tx) => {
      for (const [name, temporaryPasswordUntil] of Object.entries(ends))
        tx.accounts.insert(
          sampleAccount(name, { temporaryPasswordUntil, status: name === 'gone' ? 'Inactive' : 'Active' }),
        );
    });
    expect(checkTemporaryPasswords(stores, now)).toMatchObject({
      outcome: 'warning',
      message:
        'Active accounts with a temporary password: 3 (1 not used yet, 1 used but not replaced, 1 expired)',
    });
    stores.transaction((tx) => {
      for (const name of ['fresh', 'used', 'late'])
        tx.accounts.update(sampleAccount(name).id, { temporaryPasswordUntil: null });
    });
    expect(checkTemporaryPasswords(stores, now)).toMatchObject({ outcome: 'ok' });
    stores.close();
  });

  it('svc doctor warns of a SCIM key for 30 days before its end, and fails once none is valid (contract 10.5)', async () => {
    const now = Date.now();
    const stores = await openHere();
    const add = (name: string, expiresAt: number | null) =>
      stores.transaction((tx) =>
        tx.apiTokens.insert(sampleApiToken(name, 'boss', { kind: 'scim', expiresAt }), hashOf(name)),
      );
    stores.transaction((tx) => tx.accounts.insert(sampleAccount('boss')));
    expect(checkScimKeys(stores, now)).toEqual([]);
    add('old', now);
    expect(checkScimKeys(stores, now)).toMatchObject([{ outcome: 'failure' }]);
    add('Entra ID', now + 30 * 86_400_000);
    expect(checkScimKeys(stores, now)).toMatchObject([
      { outcome: 'warning', message: expect.stringMatching(/^The SCIM key "Entra ID" of .* expires at /) },
    ]);
    add('Okta', null);
    expect(checkScimKeys(stores, now + 30 * 86_400_000)).toMatchObject([{ outcome: 'ok' }]);
    stores.close();
  });

  it('svc doctor tells a proxy that loses headers, Host, flags and upgrades from one that does not', async () => {
    const losing = await listen((request, response) => {
      const isLogout = request.url?.endsWith('/auth/logout') === true;
      response.statusCode = isLogout ? 403 : 401;
      response.setHeader('set-cookie', 'svc_dashboard_session=; Path=/; HttpOnly');
      response.end(JSON.stringify({ error: isLogout ? 'CSRF: Origin/Referer mismatch' : 'unauthenticated' }));
    });
    const { config } = configOf({ SVC_PUBLIC_URL: losing });
    expect(outcomes(await checkProxy(config))).toEqual({
      'proxy-headers': 'failure',
      'proxy-authorization': 'failure',
      'proxy-host': 'failure',
      'cookie-flags': 'failure',
      'proxy-upgrade': 'failure',
    });
  });

  it('a node that takes a create without a hub token can be used around the hub (contract 8.3)', async () => {
    const record = { name: 'n', basePath: '', version: '1', ownerId: 'u', registeredAt: 0, lastSeenAt: 0 };
    const refusing = await listen((_request, response) => {
      response.statusCode = 500;
      const message = 'session rejected: create sessions through the hub, http://hub (no hub token)';
      response.end(JSON.stringify({ value: { error: 'session not created', message, stacktrace: '' } }));
    });
    const open = await listen((_request, response) => response.end('{"value":{"sessionId":"x"}}'));
    const good = await checkNode({ ...record, url: refusing }, null, Date.now());
    expect(outcomes(good)).toEqual({ node: 'ok', 'node-clock': 'ok' });
    const bad = await checkNode({ ...record, url: open }, null, Date.now() + 60_000);
    expect(outcomes(bad)).toEqual({ node: 'failure', 'node-clock': 'failure' });
    const gone = await checkNode({ ...record, url: 'http://127.0.0.1:1' }, null, Date.now());
    expect(outcomes(gone)).toEqual({ node: 'warning' });
  });

  it('svc doctor compares the hub’s connections with the limit per address of the node it runs on (contract 5)', () => {
    const node = {
      SVC_HUB_URL: 'http://hub:4723',
      SVC_NODE_URL: 'http://node:4723',
      SVC_NODE_ACCESS_KEY: `svc_${'a'.repeat(24)}`,
      SVC_NODE_TOKEN: 'token',
    };
    const check = (env: Record<string, string>) => checkConnectionLimit(configOf(env).config);
    expect(check({})).toEqual([]);
    expect(outcomes(check(node))).toEqual({ 'node-connections': 'ok' });
    expect(outcomes(check({ ...node, SVC_MAX_CONNECTIONS_PER_ADDRESS: '0' }))).toEqual({
      'node-connections': 'ok',
    });
    expect(check({ ...node, SVC_MAX_CONNECTIONS_PER_ADDRESS: '127' })).toMatchObject([
      {
        check: 'node-connections',
        outcome: 'warning',
        message: expect.stringContaining('1024 connections'),
        fix: expect.stringContaining('SVC_MAX_CONNECTIONS_PER_ADDRESS to 128 or more'),
      },
    ]);
  });

  it('svc doctor finds the secret of a create in a log that keeps bodies, and not in one that does not', async () => {
    const file = join(dataDir, 'log');
    writeFileSync(file, '');
    const logging = (keeps: boolean) =>
      listen((request, response) => {
        let body = '';
        request.on('data', (part) => {
          body += part;
        });
        request.on('end', () => {
          writeFileSync(file, keeps ? body : `POST ${request.headers['x-request-id']}\n`, { flag: 'a' });
          response.end('{}');
        });
      });
    expect(await checkLog(await logging(false), '', file)).toMatchObject({ outcome: 'ok' });
    expect(await checkLog(await logging(true), '', file)).toMatchObject({ outcome: 'failure' });
    const silent = await listen((_request, response) => response.end('{}'));
    expect(await checkLog(silent, '', file)).toMatchObject({ outcome: 'warning' });
  });
});
