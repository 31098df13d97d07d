import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SqliteStore } from '@svc/store-sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';
import { freshDataDir } from '../support/lab.ts';
import { filled, routes } from './support/routes.ts';
import { type Credentials, type Pair, targets, World } from './support/world.ts';

const GARBAGE = 'this is no key '.repeat(500);
/** Uses the same SQLite as the store, to break the store's tables from another connection. */
const here = createRequire(import.meta.url);
const Database = createRequire(here.resolve('@svc/store-sqlite'))('better-sqlite3');

/** A token with a valid form and checksum that does not exist. */
const UNKNOWN_TOKEN = 'svct_00000000000000000000000000000000000000000002z5KSm';

describe.each(targets)('a database that cannot be used on $name', ({ start }) => {
  let world: World;
  let pair: Pair;
  let bearer: Credentials;

  beforeAll(async () => {
    world = await World.start(start);
    const person = await world.person();
    pair = await world.pair(person.as);
    bearer = await world.bearer(person.as);
    const database = new Database(join(world.server.dataDir, 'svc.db'));
    for (const table of ['accounts', 'api_tokens', 'sign_ins', 'teams', 'audit']) {
      database.exec(`alter table ${table} rename to ${table}_gone`);
    }
    database.close();
  });
  afterAll(() => world.server.stop());

  it('a credential that cannot be looked up is 503, never 401 and never let through (contract 1)', async () => {
    expect(await world.asks(pair.as)).toBe('503 unavailable');
    expect(await world.asks(bearer)).toBe('503 unavailable');
    expect(await world.asks({ cookie: `svc_dashboard_session=${'A'.repeat(43)}` })).toBe('503 unavailable');
  });

  it('a sign-in that cannot be checked is 503 (contract 1)', async () => {
    const json = { email: 'root@lab.test', password: 'whatever it is' };
    const answer = await world.api('POST', '/auth/login', { json });
    expect([answer.status, answer.body.error]).toEqual([503, 'unavailable']);
  });

  it('a change that cannot be written is 503, and the answer says nothing of SQL or files (contract 1)', async () => {
    const answer = await world.api('POST', '/teams', { as: world.root.as, json: { name: 'Never' } });
    expect([answer.status, answer.body.error]).toEqual([503, 'unavailable']);
    expect(answer.text).not.toMatch(/sqlite|svc\.db|malformed|not a database/i);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('a request that needs no look-up is refused as always, and the server is alive but not ready (contract 1, 2 health)', async () => {
    expect(await world.asks({})).toBe('401 unauthenticated');
    expect(await world.asks({ ...pair.as, 'x-svc-token': 'svct_no' })).toBe('401 invalid credentials');
    expect((await world.api('GET', '/health')).status).toBe(200);
    const ready = await world.api('GET', '/health/ready');
    expect([ready.status, ready.body.checks.database]).toEqual([503, false]);
  });
});

describe('a database that was closed', () => {
  let running: RunningApp;
  const kinds: Record<string, Credentials> = {
    'a key pair': { 'x-svc-access-key': 'svc_x', 'x-svc-token': UNKNOWN_TOKEN },
    'a cookie': { cookie: `svc_dashboard_session=${'A'.repeat(43)}` },
  };

  beforeAll(async () => {
    running = await openApp();
    const sub = running.services.stores.accounts.oldestActive('Super admin')?.id as string;
    const input = { sub, aud: 'svc-rest', scopes: ['admin'], lifetime: 60, until: null } as const;
    kinds['a bearer token'] = {
      authorization: `Bearer ${(await running.services.signer.mint(input)).token}`,
    };
    (running.services.stores as SqliteStore).close();
  });
  afterAll(() => running.close());

  it.each(['a key pair', 'a cookie', 'a bearer token'])(
    'every route that asks for a credential answers %s with 503 (contract 1)',
    async (kind) => {
      const guarded = routes.filter(({ isPublic, takesTicket }) => !isPublic && !takesTicket);
      for (const route of guarded) {
        const answer = await running.app.inject({
          method: route.method as 'GET',
          url: `/svc/api${filled(route)}`,
          headers: { host: 'lab.test', origin: 'http://lab.test', ...kinds[kind] },
        });
        expect([answer.statusCode, answer.json().error], route.path).toEqual([503, 'unavailable']);
      }
      expect(guarded.length).toBeGreaterThan(10);
    },
  );
});

describe.each(targets)('a signing key that cannot be used on $name', ({ start }) => {
  let world: World | undefined;
  afterEach(() => world?.server.stop());

  const pem = (namedCurve: string) =>
    generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const publicHalf = () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .publicKey.export({ type: 'spki', format: 'pem' })
      .toString();

  it.each([
    ['garbage', () => GARBAGE],
    ['a key of another curve', () => pem('P-384')],
    ['the public half only', publicHalf],
  ])('%s: no keys, no minting; cookies and pairs work (contract 4)', async (_, content) => {
    const dataDir = freshDataDir();
    writeFileSync(join(dataDir, 'signing-key.pem'), content());
    world = await World.start(start, {}, dataDir);
    const pair = await world.pair(world.root.as);
    expect((await world.api('GET', '/auth/jwks.json')).body).toEqual({ keys: [] });
    expect([await world.asks(pair.as), await world.asks(world.root.as)]).toEqual(['200', '200']);
    for (const as of [pair.as, world.root.as]) {
      for (const json of [{}, { audience: 'svc-mcp' }]) {
        const answer = await world.api('POST', '/auth/token', { as, json });
        expect([answer.status, answer.body.error]).toEqual([503, 'unavailable']);
      }
    }
    expect(await world.asks({ authorization: 'Bearer a.b.c' })).toBe('503 unavailable');
    const ready = await world.api('GET', '/health/ready');
    expect([ready.status, ready.body.checks]).toEqual([
      503,
      { database: true, signingKey: false, migrations: true },
    ]);
    expect(world.server.output()).toContain('signing-key.pem in the data folder cannot be used');
    expect(world.server.output()).not.toContain(content().slice(40, 100));
  });
});
