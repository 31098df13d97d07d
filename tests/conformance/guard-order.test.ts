import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pair, type Person, targets, World } from './support/world.ts';

/**
 * Headers of a request with a large JSON body. Without a kept connection, the server may close it after a refusal while
 * the client still sends.
 */
const JSON_KEPT_ALIVE = { 'content-type': 'application/json', connection: 'keep-alive' };

describe.each(targets)('guard order on $name', ({ start }) => {
  let world: World;
  let member: Person;
  let readOnly: Pair;

  beforeAll(async () => {
    world = await World.start(start);
    member = await world.person('Member');
    const admin = await world.person('Admin');
    readOnly = await world.apiKey(admin.as, { scopes: ['read'] });
  });
  afterAll(() => world.server.stop());

  it('the guard asks for the origin before the credential (contract 1)', async () => {
    const answer = await world.api('POST', '/auth/token', {
      as: { cookie: 'svc_dashboard_session=wrong' },
      headers: { origin: 'https://evil.test' },
    });
    expect([answer.status, answer.body.error]).toEqual([403, 'CSRF: Origin/Referer mismatch']);
  });

  it('the guard asks for the credential before it looks whether there is such a route (contract 1)', async () => {
    const unknown = await world.api('GET', '/no/such/route');
    expect([unknown.status, unknown.body.error]).toEqual([401, 'unauthenticated']);
    const known = await world.api('GET', '/no/such/route', { as: member.as });
    expect([known.status, known.body.error]).toEqual([404, 'not_found']);
  });

  it('the guard counts a request before it asks for the role (contract 1)', async () => {
    const key = await world.apiKey(world.root.as, { scopes: ['read'], rateLimit: 1 });
    const first = await world.api('GET', '/users', { as: key.as });
    const second = await world.api('GET', '/users', { as: key.as });
    expect([first.body.error, second.body.error]).toEqual(['insufficient_scope', 'rate limit exceeded']);
  });

  it('the guard asks for the role before the scope (contract 1)', async () => {
    const sessions = await world.pair(member.as, { scopes: ['sessions'] });
    const low = await world.api('GET', '/users', { as: sessions.as });
    expect(low.body).toMatchObject({ error: 'insufficient_role', required: 'Admin' });
    const narrow = await world.api('GET', '/users', { as: readOnly.as });
    expect(narrow.status).toBe(403);
    expect(narrow.body).toMatchObject({ error: 'insufficient_scope', required: 'admin' });
  });

  it('the guard asks whether the thing named is there, and within reach, before it reads the body (contract 1)', async () => {
    const admin = await world.person('Admin');
    const nobody = '00000000-0000-4000-8000-000000000000';
    const addresses = [`/users/${nobody}`, `/apikeys/${nobody}`].map((path) => ['PATCH', path] as const);
    const ended = ['profile/tokens', 'auth/sign-ins', 'apikeys', 'users', 'teams', 'session'].map(
      (things) => ['DELETE', `/${things}/${nobody}`] as const,
    );
    const named = [
      ...addresses,
      ...ended,
      ['DELETE', `/teams/${nobody}/members/${nobody}`],
      ['POST', `/users/${nobody}/reset-link`],
      ['POST', `/teams/${nobody}/members`],
      ['PUT', '/device/none/team'],
    ] as const;
    const send = (method: string, path: string, as: Person['as'], body: string) =>
      world.api(method, path, { as, body, headers: JSON_KEPT_ALIVE });
    for (const [method, path] of named) {
      for (const body of ['{"broken', '{"role":5}', 'x'.repeat(1024 * 1024 + 1)]) {
        const answer = await send(method, path, world.root.as, body);
        expect([path, answer.status, answer.body.error]).toEqual([path, 404, 'not_found']);
      }
    }
    const beyond = await send('PATCH', `/users/${world.root.id}`, admin.as, '{"broken');
    expect([beyond.status, beyond.body.error]).toEqual([403, 'role_exceeds_yours']);
  });

  it.each([
    ['no credential', 401, undefined],
    ['a role too low', 403, 'member'],
    ['a missing scope', 403, 'readOnly'],
  ] as const)('the guard refuses %s before it reads the body (contract 1)', async (_, status, who) => {
    const as = who && { member, readOnly }[who].as;
    const answers = await Promise.all(
      ['{"broken', 'x'.repeat(1024 * 1024 + 1), '{}'].map((body) =>
        world.api('POST', '/users', { as, body, headers: JSON_KEPT_ALIVE }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
  });

  it('the guard refuses strangers while their body is still on its way (contract 1)', async () => {
    const answer = await world.api('POST', '/users', {
      headers: { 'content-type': 'application/json', 'content-length': 500_000, expect: '100-continue' },
    });
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthenticated']);
  });

  it.each(['{"broken', 'x'.repeat(1024 * 1024 + 1)])(
    'an unknown route is unknown whatever the body (contract 1)',
    async (body) => {
      const answer = await world.api('POST', '/no/such/route', {
        as: member.as,
        body,
        headers: JSON_KEPT_ALIVE,
      });
      expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
    },
  );

  it('the guard looks for the thing asked about only in the body of a caller who may ask (contract 1)', async () => {
    const path = '/users/00000000-0000-4000-8000-000000000000';
    const refused = await world.api('PATCH', path, { as: member.as, json: {} });
    const allowed = await world.api('PATCH', path, { as: world.root.as, json: {} });
    expect([refused.status, allowed.status]).toEqual([403, 404]);
  });
});
