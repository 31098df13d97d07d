import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgrade } from '../support/web-socket.ts';
import { call, type HttpResponse } from './support/call.ts';
import { type Credentials, type Pair, type Person, targets, World } from './support/world.ts';

const PHONE = { udid: 'leased-1', name: 'Leased', platform: 'Android', osVersion: '14' };
const ENV = { SVC_PUBLIC_URL: 'https://lab.example', SVC_DEVICES: JSON.stringify([PHONE]) };
const FORM = 'application/x-www-form-urlencoded';

/** Sends a form to `/svc/oauth/<path>`. */
function post(
  world: World,
  path: 'revoke' | 'introspect',
  form: Record<string, string>,
  as: Credentials = {},
): Promise<HttpResponse> {
  return call(world.url, 'POST', `/svc/oauth/${path}`, {
    as,
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': FORM, origin: null },
  });
}

const tokenOf = ({ authorization = '' }: Credentials): string => authorization.slice('Bearer '.length);

describe.each(targets)('revocation on $name', ({ start }) => {
  let world: World;
  let member: Person;
  let admin: Pair;

  beforeAll(async () => {
    world = await World.start(start, ENV);
    member = await world.person('Member');
    const chief = await world.person('Admin');
    admin = await world.apiKey(chief.as, { scopes: ['admin'], rateLimit: 10_000 });
  });
  afterAll(() => world.server.stop());

  const revoke = async (token: string, more: Record<string, string> = {}) => {
    const answer = await post(world, 'revoke', { token, ...more });
    return [answer.status, answer.text];
  };
  const introspect = (token: string, as: Credentials) => post(world, 'introspect', { token }, as);

  it('any holder of a bearer may end it, without an account (contract 10.4)', async () => {
    for (const audience of ['svc-rest', 'svc-mcp']) {
      const bearer = await world.bearer(member.as, { audience });
      expect(await world.asks(bearer)).toBe('200');
      expect(await revoke(tokenOf(bearer), { token_type_hint: 'refresh_token' })).toEqual([200, '']);
      expect(await world.asks(bearer)).toBe('401 invalid token');
      expect(await revoke(tokenOf(bearer))).toEqual([200, '']);
    }
  });

  it('white space around a token in the form is ignored, because files end with a line feed (contract 10.4)', async () => {
    const bearer = await world.bearer(member.as);
    expect((await introspect(` ${tokenOf(bearer)}\r\n`, admin.as)).body).toMatchObject({ active: true });
    expect(await revoke(`${tokenOf(bearer)}\n`)).toEqual([200, '']);
    expect(await world.asks(bearer)).toBe('401 invalid token');
    expect((await post(world, 'revoke', { token: ' \n' })).status).toBe(400);
  });

  it('a Profile token, an API key and their cookies end; what they minted goes on (contract 10.4, spec 5.3.3)', async () => {
    const pair = await world.pair(member.as);
    const minted = await world.bearer(pair.as);
    const key = await world.apiKey(world.root.as, { scopes: ['admin'] });
    const opened = await world.api('POST', '/auth/dashboard-session', { as: key.as });
    const cookie = { cookie: opened.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '' };
    expect(await world.asks(cookie)).toBe('200');
    expect(await revoke(pair.token)).toEqual([200, '']);
    expect(await revoke(key.token)).toEqual([200, '']);
    expect(await world.asks(pair.as)).toBe('401 invalid credentials');
    expect(await world.asks(key.as)).toBe('401 invalid credentials');
    expect(await world.asks(cookie)).toBe('401 invalid session');
    expect(await world.asks(minted)).toBe('200');
    const { items } = await world.ok('GET', '/audit?limit=20', { as: world.root.as });
    const rows = items.filter((row: { event: string }) => row.event === 'authn_token_revoked');
    expect(rows.map((row: { target: string; actor: null }) => [row.target, row.actor])).toEqual(
      expect.arrayContaining([
        [pair.id, null],
        [key.id, null],
      ]),
    );
  });

  it('a cookie opened with a bearer ends with the bearer (contract 2, 10.4)', async () => {
    const bearer = await world.bearer(world.root.as);
    const opened = await world.api('POST', '/auth/dashboard-session', { as: bearer });
    const cookie = { cookie: opened.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '' };
    expect(await world.asks(cookie)).toBe('200');
    await revoke(tokenOf(bearer));
    expect(await world.asks(cookie)).toBe('401 invalid session');
  });

  it.each([
    ['an unknown word', 'nothing'],
    ['a token with a wrong checksum', `svct_${'a'.repeat(49)}`],
    ['a token of another server', `${'e'.repeat(40)}.${'e'.repeat(40)}.${'A'.repeat(86)}`],
    ['an access key', `svc_${'a'.repeat(24)}`],
  ])('200 also for %s (contract 10.4)', async (_, token) => {
    expect(await revoke(token)).toEqual([200, '']);
  });

  it('the token is required in the body, once (contract 10.4)', async () => {
    const answers = [
      await post(world, 'revoke', {}),
      await post(world, 'revoke', { token: '' }),
      await call(world.url, 'POST', '/svc/oauth/revoke?token=x', { headers: { origin: null } }),
      await post(world, 'introspect', {}, admin.as),
    ];
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
      answers.map(() => [400, 'invalid_request']),
    );
  });

  it('a revoked bearer closes its open socket (contract 10.4)', async () => {
    const bearer = await world.bearer(member.as);
    const { ticket } = await world.ok('POST', '/events/ticket', { as: bearer });
    const { socket } = await upgrade(world.url, `/svc/api/events?ticket=${ticket}`);
    if (socket === undefined) throw new Error('the upgrade was refused');
    const closed = once(socket, 'close');
    await revoke(tokenOf(bearer));
    expect((await closed)[0]).toBe(1008);
  });

  it('a ticket of a revoked bearer is worth nothing (contract 10.4)', async () => {
    const bearer = await world.bearer(member.as);
    const { ticket } = await world.ok('POST', '/events/ticket', { as: bearer });
    await revoke(tokenOf(bearer));
    expect((await upgrade(world.url, `/svc/api/events?ticket=${ticket}`)).status).toBe(401);
  });

  it('cascade ends every generation, and nothing else (contract 10.4)', async () => {
    const pair = await world.pair(member.as);
    const other = await world.pair(member.as);
    const first = await world.bearer(pair.as);
    const second = await world.bearer(first);
    const third = await world.bearer(second, { audience: 'svc-mcp' });
    const elsewhere = await world.bearer(other.as);
    const made = await world.pair(pair.as);
    const ended = await world.api('DELETE', `/profile/tokens/${pair.id}?cascade=true`, { as: member.as });
    expect(ended.status).toBe(204);
    for (const each of [first, second, third]) expect(await world.asks(each)).toBe('401 invalid token');
    expect(await world.asks(elsewhere)).toBe('200');
    expect(await world.asks(made.as)).toBe('200');
  });

  it('a key opened a cookie, which minted a bearer: cascade ends it, too (contract 10.4)', async () => {
    const key = await world.apiKey(world.root.as, { scopes: ['admin'] });
    const opened = await world.api('POST', '/auth/dashboard-session', { as: key.as });
    const cookie = { cookie: opened.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '' };
    const bearer = await world.bearer(cookie);
    expect(await world.asks(bearer)).toBe('200');
    await world.ok('DELETE', `/apikeys/${key.id}?cascade=true`, { as: world.root.as });
    expect(await world.asks(bearer)).toBe('401 invalid token');
  });

  it.each(['', '?cascade=1', '?cascade=True', '?cascade=', '?cascade=true&cascade=true'])(
    'only the exact text true cascades: "%s" does not (contract 10.4, spec 5.3.3)',
    async (query) => {
      const pair = await world.pair(member.as);
      const bearer = await world.bearer(pair.as);
      await world.ok('DELETE', `/profile/tokens/${pair.id}${query}`, { as: member.as });
      expect(await world.asks(bearer)).toBe('200');
    },
  );

  it('introspection says what a token may do now (contract 10.4)', async () => {
    const pair = await world.pair(member.as, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    const rest = await world.bearer(pair.as);
    const mcp = await world.ok('POST', '/auth/token', { as: member.as, json: { audience: 'svc-mcp' } });
    const common = {
      active: true,
      sub: member.id,
      username: member.email,
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
    };
    const signed = { ...common, iss: 'svc', client_id: expect.any(String) };
    const scope = 'read sessions';
    for (const as of [admin.as, (await world.pair(member.as)).as, rest]) {
      const answer = await introspect(tokenOf(rest), as);
      expect([answer.status, answer.headers['cache-control'], answer.body]).toEqual([
        200,
        'no-store',
        { ...signed, scope, aud: 'svc-rest', token_type: 'Bearer', client_id: pair.id },
      ]);
    }
    expect((await introspect(mcp.token, admin.as)).body).toEqual({
      ...signed,
      scope: 'auto:use svc:devices:read',
      aud: 'svc-mcp',
      token_type: 'Bearer',
    });
    expect((await introspect(mcp.sessionToken, rest)).body).toEqual({
      ...signed,
      scope: 'sessions',
      aud: 'svc-session',
      token_type: 'N_A',
    });
    expect((await introspect(pair.token, admin.as)).body).toEqual({
      ...common,
      scope,
      token_type: 'N_A',
      client_id: pair.id,
      jti: pair.id,
    });
    const lease = await world.ok('POST', '/leases', {
      as: member.as,
      json: { udid: PHONE.udid, minutes: 5 },
    });
    for (const as of [admin.as, rest]) {
      expect((await introspect(lease.leaseToken, as)).body).toEqual({
        ...common,
        scope: '',
        token_type: 'N_A',
        jti: lease.leaseId,
      });
    }
    const stranger = await world.bearer((await world.person('Member')).as);
    expect((await introspect(lease.leaseToken, stranger)).text).toBe('{"active":false}');
    await revoke(lease.leaseToken);
    expect((await introspect(lease.leaseToken, rest)).text).toBe('{"active":false}');
  });

  it('anything else is exactly {"active":false} (contract 10.4)', async () => {
    const bearer = await world.bearer(member.as);
    const own = await world.bearer(world.root.as);
    const gone = await world.pair(member.as);
    await revoke(gone.token);
    const revoked = await world.bearer(member.as);
    await revoke(tokenOf(revoked));
    const { ticket } = await world.ok('POST', '/events/ticket', { as: bearer });
    const inactive = [200, '{"active":false}'];
    const asked = async (token: string, as: Credentials) => {
      const { status, text } = await introspect(token, as);
      return [status, text];
    };
    expect(await asked(tokenOf(own), bearer)).toEqual(inactive);
    expect(await asked(admin.token, bearer)).toEqual(inactive);
    for (const token of ['x', gone.token, tokenOf(revoked), ticket, member.as.cookie ?? '']) {
      expect(await asked(token, admin.as)).toEqual(inactive);
    }
    const person = await world.person('Member');
    const pair = await world.pair(person.as);
    await world.ok('PATCH', `/users/${person.id}`, { as: world.root.as, json: { status: 'Inactive' } });
    expect(await asked(pair.token, admin.as)).toEqual(inactive);
  });

  it('introspection needs a pair or a bearer; a cookie does not count (contract 10, 10.4)', async () => {
    const bearer = await world.bearer(member.as);
    for (const [as, error] of [
      [{}, 'invalid_client'],
      [member.as, 'invalid_client'],
      [world.root.as, 'invalid_client'],
      [{ 'x-svc-access-key': admin.accessKey }, 'invalid_client'],
      [{ authorization: 'Bearer nothing' }, 'invalid_token'],
    ] as const) {
      const answer = await introspect(tokenOf(bearer), as);
      expect([answer.status, answer.body.error]).toEqual([401, error]);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    }
    const encoded = Buffer.from(`${admin.accessKey}:${admin.token}`).toString('base64');
    const basic = await introspect(tokenOf(bearer), { authorization: `Basic ${encoded}` });
    expect([basic.status, basic.body.active]).toEqual([200, true]);
    const wrong = Buffer.from(`${admin.accessKey}:nothing`).toString('base64');
    const refused = await introspect(tokenOf(bearer), { authorization: `Basic ${wrong}` });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('a revocation outlasts SIGKILL, and SVC_REVOCATION_CASCADE cascades everywhere (contract 10.4)', async () => {
    const first = await World.start(start, ENV);
    const bearer = await first.bearer(first.root.as);
    const kept = await first.bearer(first.root.as);
    await post(first, 'revoke', { token: tokenOf(bearer) });
    await first.server.stop('SIGKILL');
    const server = await start({
      dataDir: first.server.dataDir,
      env: { ...ENV, SVC_REVOCATION_CASCADE: 'true' },
    });
    const again = first.movedTo(server);
    expect(await again.asks(bearer)).toBe('401 invalid token');
    expect(await again.asks(kept)).toBe('200');
    const pair = await again.pair(again.root.as);
    const minted = await again.bearer(await again.bearer(pair.as));
    await again.ok('DELETE', `/profile/tokens/${pair.id}`, { as: again.root.as });
    expect(await again.asks(minted)).toBe('401 invalid token');
    const parent = await again.bearer(again.root.as);
    const child = await again.bearer(parent);
    await post(again, 'revoke', { token: tokenOf(parent) });
    expect(await again.asks(child)).toBe('401 invalid token');
    await server.stop();
  });

  it('the routes for revocation and introspection do not exist without a public address (contract 10)', async () => {
    const server = await start();
    for (const path of ['revoke', 'introspect']) {
      const answer = await call(server.url, 'POST', `/svc/oauth/${path}`, { headers: { origin: null } });
      expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
    }
    await server.stop();
  });
});
