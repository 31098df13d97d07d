import { beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN,
  cookieOf,
  makeUser,
  openService,
  type Service,
  setCookie,
  signedInUsers,
} from './support/service.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('POST /auth/dashboard-session', () => {
  let service: Service;
  let root: string;
  let boss: ReturnType<typeof signedInUsers>;
  beforeAll(async () => {
    service = await openService();
    root = await service.signIn();
    boss = signedInUsers(service, root, 'boss', 'Super admin');
  });

  async function pair(cookie: string, input: object = {}) {
    const { id, token } = (await service.ask('/profile/tokens', { json: { name: 'x', ...input }, cookie }))
      .body;
    const { accessKey } = (await service.ask('/profile/access-key', { cookie })).body;
    return { id, headers: { 'x-svc-access-key': accessKey, 'x-svc-token': token } };
  }
  const openWith = (headers: Record<string, string>) =>
    service.ask('/auth/dashboard-session', { method: 'POST', headers });
  const me = (cookie: string) => service.ask('/auth/me', { cookie });

  it('POST /auth/dashboard-session opens a sign-in with the scopes of the key and no more (spec 4 dashboard-session, contract 2 dashboard-session)', async () => {
    const { headers } = await pair(root, { scopes: ['read', 'devices'] });
    const answer = await openWith(headers);
    expect(answer).toMatchObject({ status: 200, body: { ok: true, scopes: ['read', 'devices'] } });
    expect(setCookie(answer.headers)).toMatch(/HttpOnly; SameSite=Strict/);
    const cookie = cookieOf(answer);
    expect((await me(cookie)).body).toMatchObject({ kind: 'sign-in', scopes: ['read', 'devices'] });
    expect(await service.ask('/users', { cookie })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    });
    const input = { json: { name: 'wider', scopes: ['admin'] }, cookie };
    expect((await service.ask('/profile/tokens', input)).status).toBe(400);
    const rotate = await service.ask('/profile/access-key/rotate', { method: 'POST', cookie });
    expect(rotate.body).toEqual({ error: 'rotation_needs_sign_in_or_admin' });
  });

  it('the cookie never carries the key (contract 2)', async () => {
    const { headers } = await pair(root);
    const value = setCookie((await openWith(headers)).headers);
    for (const secret of Object.values(headers)) expect(value).not.toContain(secret);
  });

  it('POST /auth/dashboard-session ends when the token is revoked (contract 2)', async () => {
    const { id, headers } = await pair(root);
    const cookie = cookieOf(await openWith(headers));
    expect((await me(cookie)).status).toBe(200);
    await service.ask(`/profile/tokens/${id}`, { method: 'DELETE', cookie: root });
    expect(await me(cookie)).toMatchObject({ status: 401, body: { error: 'invalid session' } });
  });

  it('POST /auth/dashboard-session ends when the access key is replaced (contract 2)', async () => {
    const user = await boss();
    const cookie = cookieOf(await openWith((await pair(user.cookie)).headers));
    await service.ask('/profile/access-key/rotate', { method: 'POST', cookie: user.cookie });
    expect((await me(cookie)).status).toBe(401);
    expect((await me(user.cookie)).status).toBe(200);
  });

  it('POST /auth/dashboard-session ends with its user (contract 2)', async () => {
    const user = await boss();
    const cookie = cookieOf(await openWith((await pair(user.cookie)).headers));
    await service.ask(`/users/${user.id}`, { method: 'PATCH', json: { status: 'Inactive' }, cookie: root });
    expect((await me(cookie)).status).toBe(401);
  });

  it('POST /auth/dashboard-session does not outlast the token, however often it is used (contract 2)', async () => {
    const expiresAt = new Date(service.clock.now() + HOUR_MS).toISOString();
    const { headers } = await pair(root, { expiresAt });
    const answer = await openWith(headers);
    expect(setCookie(answer.headers)).toContain('Max-Age=3600;');
    const cookie = cookieOf(answer);
    service.clock.advance(HOUR_MS - 1);
    expect((await me(cookie)).body.expiresAt).toBe(expiresAt);
    const made = await service.ask('/profile/tokens', { json: { name: 'longer', expiresAt: null }, cookie });
    expect(made.body).toEqual({ error: 'expiry_exceeds_credential' });
    service.clock.advance(1);
    expect((await me(cookie)).status).toBe(401);
  });

  it('a bearer token opens one too, until it expires (contract 2)', async () => {
    const { token } = (await service.ask('/auth/token', { json: {}, cookie: root })).body;
    const answer = await openWith({ authorization: `Bearer ${token}` });
    expect(answer.body).toEqual({ ok: true, scopes: ['read', 'sessions', 'devices', 'admin'] });
    const cookie = cookieOf(answer);
    service.clock.advance(HOUR_MS - 1000);
    expect((await me(cookie)).status).toBe(200);
    service.clock.advance(1000);
    expect((await me(cookie)).status).toBe(401);
  });

  it('the sign-in of a token sees and ends only itself, and its owner sees and ends both (contract 2 sign-ins)', async () => {
    const user = await boss();
    const opened = async () => cookieOf(await openWith((await pair(user.cookie)).headers));
    const limited = [await opened(), await opened()] as const;
    const seenBy = async (cookie: string): Promise<string[]> =>
      (await service.ask('/auth/sign-ins', { cookie })).body.map(({ id }: { id: string }) => id);
    const end = (cookie: string, id: string) =>
      service.ask(`/auth/sign-ins/${id}`, { method: 'DELETE', cookie });
    const [own = '', ...others] = await seenBy(limited[0]);
    expect(others).toEqual([]);
    const all = await seenBy(user.cookie);
    expect(all).toHaveLength(3);
    expect(all).toContain(own);

    const unknown = await end(limited[0], '00000000-0000-4000-8000-000000000000');
    expect(unknown.status).toBe(404);
    for (const id of all.filter((each) => each !== own)) {
      expect(await end(limited[0], id)).toMatchObject({ status: 404, text: unknown.text });
    }
    for (const cookie of [user.cookie, ...limited]) expect((await me(cookie)).status).toBe(200);

    expect((await end(limited[0], own)).status).toBe(204);
    expect((await me(limited[0])).status).toBe(401);
    const [second = ''] = await seenBy(limited[1]);
    expect((await end(user.cookie, second)).status).toBe(204);
    expect((await me(limited[1])).status).toBe(401);
    expect(await seenBy(user.cookie)).toHaveLength(1);
  });

  it('opened with a bearer token of a key of a team, it keeps the team (contract 2 teamId)', async () => {
    const { body: team } = await service.ask('/teams', { json: { name: 'Bound' }, cookie: root });
    const { body: other } = await service.ask('/teams', { json: { name: 'Elsewhere' }, cookie: root });
    const input = { name: 'CI', scopes: ['admin'] };
    const { body: key } = await service.ask('/apikeys', {
      json: { ...input, teamId: team.id },
      cookie: root,
    });
    const { accessKey } = (await service.ask('/profile/access-key', { cookie: root })).body;
    const headers = { 'x-svc-access-key': accessKey, 'x-svc-token': key.token };
    const { token } = (await service.ask('/auth/token', { json: {}, headers })).body;
    const cookie = cookieOf(await openWith({ authorization: `Bearer ${token}` }));
    await service.ask(`/apikeys/${key.id}`, { method: 'DELETE', cookie: root });

    const again = (await service.ask('/auth/token', { json: {}, cookie })).body.token;
    for (const as of [{ cookie }, { headers: { authorization: `Bearer ${again}` } }]) {
      expect((await service.ask('/apikeys', { json: input, ...as })).body).toMatchObject({ teamId: team.id });
      const elsewhere = await service.ask('/apikeys', { json: { ...input, teamId: other.id }, ...as });
      expect(elsewhere).toMatchObject({ status: 400, body: { error: 'unknown_team' } });
      const { id } = (await service.ask('/profile/tokens', { json: { name: 'x' }, ...as })).body;
      const listed = (await service.ask('/apikeys', { cookie: root })).body;
      expect(listed.find((row: { id: string }) => row.id === id).team).toEqual({
        id: team.id,
        name: 'Bound',
      });
    }
  });

  it.each(['Member', 'Admin'])('a key of a %s is refused (contract 2)', async (role) => {
    const user = await makeUser(service, root, { email: `${role}@lab.test`, role });
    const cookie = await service.signIn(user.email, user.password);
    const { headers } = await pair(cookie);
    expect(await openWith(headers)).toMatchObject({ status: 403, body: { error: 'super admin required' } });
    const { token } = (await service.ask('/auth/token', { json: {}, cookie })).body;
    expect((await openWith({ authorization: `Bearer ${token}` })).status).toBe(403);
  });

  it('a cookie opens none, and nobody at all is 401 (contract 2)', async () => {
    const answer = await service.ask('/auth/dashboard-session', { method: 'POST', cookie: root });
    expect(answer.status).toBe(403);
    expect((await openWith({})).body).toEqual({ error: 'unauthenticated' });
  });

  it('POST /auth/dashboard-session passes the origin check as any change does (spec 5.6.1)', async () => {
    const { headers } = await pair(root);
    const foreign = { origin: 'https://evil.test' };
    expect((await openWith({ ...headers, ...foreign })).status).toBe(200);
    const half = { 'x-svc-token': headers['x-svc-token'] };
    expect((await openWith({ ...half, ...foreign })).body.error).toMatch(/^CSRF/);
  });

  it('POST /auth/dashboard-session answers 200 while sign-in is off, and leaves no cookie for when sign-in is on again (spec 5.12)', async () => {
    const off = await openService({ SVC_AUTH_DISABLED: 'true' });
    const answer = await off.ask('/auth/dashboard-session', { method: 'POST' });
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(
      off.services.stores.signIns.listOf(off.services.stores.accounts.byEmail(ADMIN.email)?.id ?? ''),
    ).toEqual([]);
    expect(off.log.some((line) => line.includes('Authentication is DISABLED'))).toBe(true);
  });
});
