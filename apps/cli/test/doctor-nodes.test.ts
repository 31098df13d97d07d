import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopeSet } from '@svc/auth-core';
import { hashOf, sampleAccount, sampleApiToken, silentLog } from '@svc/auth-core/testing';
import { DestinationRules, Destinations, Lookups } from '@svc/outbound';
import { type Config, readConfig } from '@svc/settings';
import { openStore, type SqliteStore } from '@svc/store-sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../src/doctor/doctor.ts';
import { checkHub } from '../src/doctor/hub.ts';
import { checkNodeKeys } from '../src/doctor/node-keys.ts';
import { checkNodeAddress } from '../src/doctor/nodes.ts';

const NOW = Date.parse('2026-11-01T12:00:00.000Z');
const DAY = 24 * 60 * 60 * 1000;

let dataDir: string;
const servers: Server[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const configOf = (env: Record<string, string> = {}): Config =>
  readConfig({
    homeDir: '/nowhere',
    readFile: () => '',
    resolvePath: (...parts: string[]) => parts.join('/'),
    env: { SVC_DATA_DIR: dataDir, ...env },
  }).config;

const openHere = (): Promise<SqliteStore> =>
  openStore({
    file: configOf().databaseFile,
    auditKeyFile: join(dataDir, 'audit-key'),
    clock: { now: () => NOW },
    log: silentLog(),
    autoMigrate: true,
  });

const nodeAt = (host: string, ownerId: string) => ({
  name: host,
  url: `http://${host}`,
  basePath: '',
  version: '1',
  ownerId,
  registeredAt: 0,
  lastSeenAt: NOW,
  keyPin: null,
});

describe('keys of nodes, on the hub', () => {
  const boss = sampleAccount('boss');
  const key = (name: string, expiresAt: number | null, more: object = {}) =>
    sampleApiToken(name, 'boss', { expiresAt, lastUsedAt: NOW, scopes: scopeSet(['admin']), ...more });

  const findingsOf = async (keys: readonly ReturnType<typeof key>[], nodes = [nodeAt('n1:1', boss.id)]) => {
    const stores = await openHere();
    try {
      stores.transaction((tx) => {
        tx.accounts.insert(boss);
        for (const each of keys) tx.apiTokens.insert(each, hashOf(each.name));
      });
      return checkNodeKeys(nodes, stores, NOW);
    } finally {
      stores.close();
    }
  };

  it('doctor on a hub warns of keys of nodes that end within 30 days, with the end, the account and the nodes (contract 8.1)', async () => {
    const nodes = [nodeAt('n1:1', boss.id), nodeAt('n2:1', boss.id), nodeAt('n3:1', boss.id)];
    expect(
      await findingsOf([key('short', NOW + 29 * DAY), key('long', NOW + 31 * DAY)], nodes),
    ).toMatchObject([
      {
        check: 'node-keys',
        outcome: 'warning',
        message: `The key "short" of ${boss.email} expires at 2026-11-30T12:00:00.000Z, and node n1:1 and 2 more may register with it`,
        fix: expect.stringContaining('SVC_NODE_TOKEN'),
      },
    ]);
  });

  it('doctor on a hub reports keys of nodes that have ended as a failure (contract 8.1)', async () => {
    expect(await findingsOf([key('over', NOW - DAY)])).toMatchObject([
      { check: 'node-keys', outcome: 'failure', message: expect.stringContaining('expired at 2026-10-31') },
    ]);
  });

  it('keys of nodes at the hub get no warning without an end, without the scope, or if no node has used them lately (contract 8.1)', async () => {
    const idle = key('idle', NOW + DAY, { lastUsedAt: NOW - DAY });
    const unused = key('unused', NOW + DAY, { lastUsedAt: null });
    const reader = key('reader', NOW + DAY, { scopes: scopeSet(['read', 'devices']) });
    expect(await findingsOf([key('endless', null), idle, unused, reader])).toMatchObject([
      { check: 'node-keys', outcome: 'ok' },
    ]);
    expect(checkNodeKeys([], {} as never, NOW)).toEqual([]);
  });
});

describe('the address of a node, on the hub', () => {
  const destinations = (allow: string[] = []) => {
    const rules = new DestinationRules(allow);
    const lookups = new Lookups(async () => [{ address: '127.0.0.1', family: 4 }]);
    return new Destinations({ rules: () => rules, lookups, setting: 'SVC_NODE_ALLOW' });
  };

  it("doctor on a hub reports a node's address that the hub does not connect to as a failure, and says what to set (contract 8.3)", async () => {
    for (const host of ['127.0.0.1:4723', '169.254.169.254', 'inner.test:4723'])
      expect(await checkNodeAddress(nodeAt(host, 'u'), destinations())).toMatchObject({
        check: 'node-address',
        outcome: 'failure',
        fix: expect.stringContaining('SVC_NODE_ALLOW'),
      });
    expect(await checkNodeAddress(nodeAt('10.0.0.7:4723', 'u'), destinations())).toBeNull();
    expect(await checkNodeAddress(nodeAt('127.0.0.1:1', 'u'), destinations(['127.0.0.1']))).toBeNull();
  });

  it('the address of a node at the hub gets no request of svc doctor if it is link-local (contract 8.3)', async () => {
    const stores = await openHere();
    stores.transaction((tx) => tx.accounts.insert(sampleAccount('boss')));
    stores.nodes.save(nodeAt('169.254.169.254', sampleAccount('boss').id));
    stores.close();
    const reading = { config: configOf(), warnings: [], unenforced: [], basePath: '' };
    const found = (await examine({ ...reading, now: NOW })).filter(
      ({ check }) => check.startsWith('node-') || check === 'node',
    );
    expect(found.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['node-js', 'ok'],
      ['node-keys', 'ok'],
      ['node-address', 'failure'],
    ]);
  });
});

describe('the hub, on a node', () => {
  interface Answers {
    readonly me: [number, object];
    readonly nodes?: [number, unknown];
  }

  /** Runs the checks of a node against a hub that sends these responses. */
  async function findingsAt({ me, nodes = [200, []] }: Answers) {
    const asked: { url?: string | undefined; key: unknown }[] = [];
    const server = createServer((request, response) => {
      asked.push({ url: request.url, key: request.headers['x-svc-token'] });
      const [status, body] = request.url === '/svc/api/auth/me' ? me : nodes;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const env = nodeEnv(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const findings = await checkHub(configOf(env), NOW);
    for (const { key } of asked) expect(key).toBe('svct_secret');
    expect(JSON.stringify(findings)).not.toContain('svct_secret');
    return Object.fromEntries(findings.map((each) => [each.check, each]));
  }

  const nodeEnv = (hub: string) => ({
    SVC_HUB_URL: hub,
    SVC_NODE_URL: 'http://10.0.0.7:4723',
    SVC_NODE_ACCESS_KEY: 'svc_x',
    SVC_NODE_TOKEN: 'svct_secret',
  });
  const admin = (expiresAt: number | null): [number, object] => [
    200,
    {
      role: 'Admin',
      scopes: ['admin'],
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    },
  ];

  it("a node's svc doctor knows when the key of the node ends: a warning for 30 days before (contract 8.1)", async () => {
    expect((await findingsAt({ me: admin(null) }))['node-key']).toMatchObject({ outcome: 'ok' });
    expect((await findingsAt({ me: admin(NOW + 31 * DAY) }))['node-key']).toMatchObject({ outcome: 'ok' });
    expect((await findingsAt({ me: admin(NOW + 29 * DAY) }))['node-key']).toMatchObject({
      outcome: 'warning',
      message: expect.stringContaining('2026-11-30T12:00:00.000Z'),
      fix: expect.stringContaining('SVC_NODE_TOKEN'),
    });
  });

  it("a node's svc doctor refuses a key that ended, or that may not register nodes (contract 8.1)", async () => {
    const member: [number, object] = [200, { role: 'Member', scopes: ['read'], expiresAt: null }];
    const narrow: [number, object] = [200, { role: 'Admin', scopes: ['read', 'devices'], expiresAt: null }];
    for (const me of [[401, { error: 'invalid credentials' }], member, narrow] as [number, object][])
      expect(Object.values(await findingsAt({ me }))).toMatchObject([
        { check: 'node-key', outcome: 'failure' },
      ]);
  });

  it("a node's svc doctor says whether the hub has the node, and what to set if it does not (contract 8.3)", async () => {
    const me = admin(null);
    const at = (status: string): [number, unknown] => [200, [{ name: '10.0.0.7:4723', status }]];
    expect((await findingsAt({ me, nodes: at('online') }))['node-registration']).toMatchObject({
      outcome: 'ok',
    });
    for (const nodes of [at('away'), [200, []]] as [number, unknown][])
      expect((await findingsAt({ me, nodes }))['node-registration']).toMatchObject({
        outcome: 'warning',
        fix: expect.stringContaining('SVC_NODE_ALLOW on the hub'),
      });
  });

  it('doctor on a node warns if the hub cannot be reached, and checks no hub on other servers (contract 8.1)', async () => {
    expect(await checkHub(configOf(nodeEnv('http://127.0.0.1:1')), NOW)).toMatchObject([
      { check: 'hub', outcome: 'warning' },
    ]);
    expect(await checkHub(configOf(), NOW)).toEqual([]);
  });
});
