import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@svc/store-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pair, type Person, targets, World } from './support/world.ts';

interface Row {
  readonly id: string;
  readonly at: string;
  readonly event: string;
  readonly outcome: string;
  readonly actor: string | null;
  readonly actorEmail: string | null;
  readonly target: string | null;
  readonly address: string | null;
  readonly peer: string | null;
  readonly requestId: string | null;
  readonly reason: string | null;
  readonly hash: string;
  readonly previousHash: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const canary = (name: string) => `canary-${name}-${randomBytes(9).toString('hex')}`;

describe.each(targets)('audit trail on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  const secrets: string[] = [];

  beforeAll(async () => {
    world = await World.start(start);
    admin = await world.person('Admin');
  });
  afterAll(() => world.server.stop());

  const page = async (query = '') =>
    (await world.ok('GET', `/audit${query}`, { as: world.root.as })).items as Row[];
  /** @returns the newest row of an event, optionally only of rows about or by one account */
  const newest = async (event: string, about?: string | null): Promise<Row> => {
    const rows = await page('?limit=500');
    const row = rows.find(
      (each) => each.event === event && (about === undefined || [each.target, each.actor].includes(about)),
    );
    return row as Row;
  };
  const traced = (id: string) => ({ 'x-request-id': id, 'x-forwarded-for': '203.0.113.9' });

  it('sign-in, good and bad, with who, from where and the request', async () => {
    const password = canary('password');
    secrets.push(password, admin.password);
    const json = { email: admin.email, password };
    await world.api('POST', '/auth/login', { json, headers: traced('bad-login') });
    expect(await newest('authn_login_fail')).toMatchObject({
      outcome: 'failure',
      actor: admin.id,
      actorEmail: admin.email,
      address: '203.0.113.9',
      peer: '127.0.0.1',
      requestId: 'bad-login',
    });
    const good = { email: admin.email, password: admin.password };
    const answer = await world.api('POST', '/auth/login', { json: good, headers: traced('good-login') });
    secrets.push(
      ...(answer.headers['set-cookie'] ?? []).map((cookie) =>
        cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';')),
      ),
    );
    expect(await newest('authn_login_success')).toMatchObject({
      outcome: 'success',
      actor: admin.id,
      requestId: 'good-login',
    });
  });

  it.each([
    [
      'a wrong pair',
      '/profile/access-key',
      { 'x-svc-access-key': canary('key'), 'x-svc-token': canary('token') },
    ],
    ['a wrong bearer token', '/profile/passkeys', { authorization: `Bearer ${canary('bearer')}` }],
    ['a wrong cookie', '/profile/identities', { cookie: `svc_dashboard_session=${canary('cookie')}` }],
    ['no credential', '/profile/tokens', {}],
  ])('%s', async (name, path, as) => {
    secrets.push(...Object.values(as).map((value) => value.replace(/^.*[ =]/, '')));
    const id = name.replaceAll(' ', '-');
    await world.api('GET', path, { as, headers: traced(id) });
    const row = await newest('authn_credential_fail');
    expect(row).toMatchObject({ outcome: 'failure', target: `GET /svc/api${path}`, requestId: id });
  });

  it('refused access, a refused origin and a reached limit', async () => {
    const member = await world.person();
    await world.api('GET', '/users', { as: member.as, headers: traced('role') });
    expect(await newest('authz_fail')).toMatchObject({
      actor: member.id,
      requestId: 'role',
      reason: expect.stringContaining('insufficient_role'),
    });
    await world.api('POST', '/auth/token', {
      as: member.as,
      headers: { ...traced('csrf'), origin: 'https://evil.test' },
    });
    expect(await newest('authz_fail')).toMatchObject({
      requestId: 'csrf',
      reason: expect.stringContaining('CSRF'),
    });
    const key = await world.apiKey(admin.as, { rateLimit: 1 });
    for (const id of ['one', 'two']) await world.api('GET', '/auth/me', { as: key.as, headers: traced(id) });
    expect(await newest('excess_rate_limit_exceeded')).toMatchObject({ actor: admin.id, requestId: 'two' });
  });

  it('credentials made, used, and revoked, with what they were made with', async () => {
    const member = await world.person();
    const pair: Pair = await world.pair(member.as);
    secrets.push(pair.token);
    expect(await newest('authn_token_created', member.id)).toMatchObject({
      target: pair.id,
      reason: expect.stringMatching(/^profile, made with sign-in [0-9a-f-]{36}$/),
    });
    const bearer = await world.bearer(pair.as);
    const token = (bearer.authorization as string).slice('Bearer '.length);
    secrets.push(token, token.split('.')[2] as string);
    expect((await newest('authn_token_created', member.id)).reason).toBe(
      `svc-rest, made with key ${pair.id}`,
    );
    for (let round = 0; round < 3; round += 1) await world.asks(pair.as);
    const uses = (await page('?limit=500')).filter(
      ({ event, target }) => event === 'authn_token_used' && target === pair.id,
    );
    expect(uses).toEqual([expect.objectContaining({ actor: member.id, reason: 'key' })]);
    const key = await world.apiKey(admin.as);
    secrets.push(key.token);
    expect((await newest('authn_token_created', admin.id)).reason).toMatch(/^api-key, made with sign-in /);
    await world.ok('DELETE', `/profile/tokens/${pair.id}`, { as: member.as });
    expect(await newest('authn_token_revoked', pair.id)).toMatchObject({ actor: member.id });
    await world.ok('POST', '/profile/access-key/rotate', { as: member.as });
    expect(await newest('authn_access_key_rotated', member.id)).toMatchObject({ actor: member.id });
    await world.ok('POST', '/auth/logout', { as: member.as });
    expect(await newest('authn_logout', member.id)).toMatchObject({ actor: member.id });
  });

  it('users made, changed and deleted, role and status by name', async () => {
    const person = await world.person();
    secrets.push(person.password);
    const { as } = world.root;
    expect(await newest('user_created', person.id)).toMatchObject({
      actor: world.root.id,
      reason: 'role Member',
    });
    await world.ok('PATCH', `/users/${person.id}`, { as, json: { role: 'Admin', status: 'Inactive' } });
    expect((await newest('user_updated', person.id)).reason).toBe(
      'role Member to Admin, status Active to Inactive',
    );
    await world.ok('DELETE', `/users/${person.id}`, { as });
    expect(await newest('user_deleted', person.id)).toMatchObject({
      actor: world.root.id,
      actorEmail: world.root.email,
      peer: '127.0.0.1',
    });
  });

  it('teams and limits of keys', async () => {
    const { as } = world.root;
    const team = await world.ok('POST', '/teams', { as, json: { name: 'Audited' } });
    expect(await newest('authz_admin', team.id)).toMatchObject({
      actor: world.root.id,
      reason: 'team created',
    });
    const key = await world.apiKey(as);
    await world.ok('PATCH', `/apikeys/${key.id}`, { as, json: { rateLimit: 5 } });
    expect((await newest('authz_admin', key.id)).reason).toBe('rate limit 300 to 5');
  });

  it('pages go back without a gap, and each row carries the hash of the one before (contract 2)', async () => {
    const rows: Row[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const before: string = next === '' ? '' : `&before=${next}`;
      const answer = await world.ok('GET', `/audit?limit=7${before}`, { as: world.root.as });
      expect(answer.items.length).toBeLessThanOrEqual(7);
      rows.push(...answer.items);
      next = answer.next;
      if (next !== null) expect(next).toBe(rows.at(-1)?.id);
    }
    expect(rows.length).toBeGreaterThan(20);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id } of rows) expect(id).toMatch(UUID);
    for (const [index, row] of rows.entries()) {
      expect(row.previousHash).toBe(rows[index + 1]?.hash ?? '0'.repeat(64));
    }
  });

  it('the audit trail is newest first, with refusals among changes (contract 2)', async () => {
    const start = (await page('?limit=1'))[0]?.id;
    const member = await world.person();
    // Uses different paths, because refusals of one route share a row.
    for (const path of ['/users', '/teams', '/apikeys']) {
      await world.api('GET', path);
      await world.ok('POST', '/teams', { as: world.root.as, json: { name: `Order ${path.slice(1)}` } });
      await world.asks(member.as, path);
    }
    const all = await page('?limit=100');
    const rows = all.slice(
      0,
      all.findIndex(({ id }) => id === start),
    );
    const times = rows.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    expect(rows.map(({ event }) => event).slice(0, 9)).toEqual(
      Array.from({ length: 3 }, () => ['authz_fail', 'authz_admin', 'authn_credential_fail']).flat(),
    );
  });

  it.each([
    ['malformed', 'x'],
    ['a number', '1'],
    ['empty', ''],
    ['no row', '00000000-0000-4000-8000-000000000000'],
  ])('a before that is %s is 400, and the message names it (contract 2)', async (_, before) => {
    const answer = await world.api('GET', `/audit?before=${before}`, { as: world.root.as });
    expect([answer.status, answer.body.error]).toEqual([400, 'bad_request']);
    expect(answer.body.message).toMatch(/^before: /);
  });

  it('the audit trail is searched by person, event and time on the server (contract 2)', async () => {
    const as = world.root.as;
    const since = new Date().toISOString();
    const member = await world.person();
    const search = async (query: Record<string, string>) => page(`?${new URLSearchParams(query)}`);
    const mine = await search({ actor: member.email.toUpperCase(), event: 'authn_login_success' });
    expect(mine).toEqual(await search({ actor: member.id, event: 'authn_login_success' }));
    expect(mine).toMatchObject([{ actor: member.id, actorEmail: member.email }]);
    expect(await search({ actor: 'nobody@lab.test' })).toEqual([]);
    const [made] = await search({ event: 'user_created', from: since });
    expect(made).toMatchObject({ target: member.id });
    expect(await search({ event: 'user_created', from: since, to: made?.at ?? '' })).toEqual([]);
    for (const field of ['from', 'to']) {
      const answer = await world.api('GET', `/audit?${field}=yesterday`, { as });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'bad_request', message: `${field}: is not an ISO 8601 time` },
      ]);
    }
  });

  it('the files of the audit trail hold the rows of its pages, and no cell is a formula (contract 2)', async () => {
    const headers = { 'x-request-id': '-1-formula', 'x-forwarded-for': '=1+1' };
    await world.ok('POST', '/teams', { as: world.root.as, json: { name: 'Export' }, headers });
    const csv = await world.api('GET', '/audit/export?format=csv', { as: admin.as });
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.headers['content-disposition']).toBe('attachment; filename="audit.csv"');
    expect(csv.headers['x-content-type-options']).toBe('nosniff');
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      '"id","at","event","outcome","actor","actorEmail","target","address","peer","requestId","reason","hash","previousHash","via"',
    );
    expect(csv.text).toContain(`"'-1-formula"`);
    for (const line of lines) expect(line).not.toMatch(/(^|,)"[=+\-@\t]/);
    for (const line of lines) expect(line).toMatch(/^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*"){13}$/);
    const file = await world.api('GET', '/audit/export?event=authz_admin', { as: admin.as });
    expect(file.headers['content-type']).toBe('application/x-ndjson');
    const rows = file.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toEqual(await page('?event=authz_admin&limit=500'));
    expect(await newest('sensitive_read')).toMatchObject({
      actor: admin.id,
      target: 'audit trail',
      reason: 'exported as jsonl',
    });
  });

  it.each(['/audit/export', '/audit/verify'])(
    '%s is for those who read the trail (contract 2)',
    async (path) => {
      const member = await world.person();
      expect(await world.asks(admin.as, path)).toBe('200');
      expect(await world.asks(member.as, path)).toBe('403 insufficient_role');
      const key = await world.apiKey(admin.as, { scopes: ['read', 'sessions', 'devices'] });
      expect(await world.asks(key.as, path)).toBe('403 insufficient_scope');
      expect((await world.api('GET', path)).body.error).toBe('unauthenticated');
    },
  );

  it('the chain is checked while requests are served (contract 2)', async () => {
    const [check] = await Promise.all([
      world.ok('GET', '/audit/verify', { as: admin.as }),
      world.person(),
      world.ok('GET', '/audit/verify', { as: world.root.as }),
    ]);
    expect(check).toEqual({
      ok: true,
      problem: null,
      head: { count: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      removed: 0,
      unkeyed: 0,
      at: expect.any(String),
    });
  });

  it('an Admin reads it, a Member does not (contract 2)', async () => {
    const member = await world.person();
    expect(await world.asks(admin.as, '/audit')).toBe('200');
    expect(await world.asks(member.as, '/audit')).toBe('403 insufficient_role');
  });

  it('no secret comes to rest, and the chain holds', async () => {
    expect(secrets.length).toBeGreaterThan(8);
    const { dataDir } = world.server;
    await world.server.stop();
    const rest = [
      world.server.output(),
      ...readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
    ];
    const found = secrets.filter((secret) => rest.some((text) => text.includes(secret)));
    expect(found).toEqual([]);
    const store = await storeIn(dataDir);
    expect(store.audit.check().problem).toBeNull();
    expect(store.audit.page(null, 500).length).toBeGreaterThan(20);
    store.close();
  });
});

function storeIn(dataDir: string): ReturnType<typeof openStore> {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const file = join(dataDir, 'svc.db');
  return openStore({ file, clock: { now: Date.now }, log, autoMigrate: false });
}

describe.each(targets)('audit trail of a server that ends on $name', ({ start }) => {
  it('every use of a credential that was answered is in it (contract 9)', async () => {
    const world = await World.start(start);
    const { dataDir } = world.server;
    // Creates more keys than could be written one by one within a second.
    const keys: Pair[] = [];
    for (let key = 0; key < 60; key += 1) keys.push(await world.apiKey(world.root.as));
    await Promise.all(keys.map(({ as }) => world.ok('GET', '/auth/me', { as })));
    await world.server.stop('SIGTERM');
    const store = await storeIn(dataDir);
    const used = store.audit.page(null, 500).filter(({ event }) => event === 'authn_token_used');
    store.close();
    expect(used.map(({ target }) => target).sort()).toEqual(keys.map(({ id }) => id).sort());
  });
});

describe.each(targets)('audit trail of a killed server on $name', ({ start }) => {
  it('refusals that were answered are in it', async () => {
    let world = await World.start(start);
    const { dataDir } = world.server;
    const json = { email: world.root.email, password: 'wrong' };
    const answer = await world.api('POST', '/auth/login', { json, headers: { 'x-request-id': 'the-last' } });
    expect(answer.status).toBe(401);
    world.server.child.kill('SIGKILL');
    await world.server.exited;
    world = await World.start(start, {}, dataDir);
    const { items } = await world.ok('GET', '/audit', { as: world.root.as });
    expect((items as Row[]).filter(({ requestId }) => requestId === 'the-last')).toEqual([
      expect.objectContaining({ event: 'authn_login_fail', actor: world.root.id }),
    ]);
    await world.server.stop();
  });
});
