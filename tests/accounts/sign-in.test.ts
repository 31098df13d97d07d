import { beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN,
  auditRows,
  cookieOf,
  makeUser,
  openService,
  type Service,
  setCookie,
} from './support/service.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('dashboard sign-in', () => {
  let service: Service;
  let root: string;
  beforeAll(async () => {
    service = await openService();
    root = await service.signIn();
  });
  const login = (json: unknown, headers: Record<string, string> = {}) =>
    service.ask('/auth/login', { json, headers });

  it('dashboard sign-in sets an HttpOnly, SameSite=Strict cookie for the whole site that lives 24 hours (spec 2 Dashboard sign-in, 4 login)', async () => {
    const { status, headers } = await login(ADMIN);
    expect(status).toBe(204);
    expect(setCookie(headers)).toMatch(
      /^svc_dashboard_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/,
    );
  });

  it.each([
    ['https', true],
    ['HTTPS', true],
    ['https, http', true],
    ['http', false],
    ['http, https', false],
  ])(
    'X-Forwarded-Proto: %s makes the cookie Secure: %s (spec 2 Dashboard sign-in)',
    async (proto, secure) => {
      const { headers } = await login(ADMIN, { 'x-forwarded-proto': proto });
      expect(setCookie(headers).includes('; Secure')).toBe(secure);
    },
  );

  it('sign-out clears the cookie with the attributes it was set with (contract 2 logout)', async () => {
    const cookie = await service.signIn();
    const answer = await service.ask('/auth/logout', {
      method: 'POST',
      cookie,
      headers: { 'x-forwarded-proto': 'https' },
    });
    expect(answer.status).toBe(204);
    expect(setCookie(answer.headers)).toMatch(
      /^svc_dashboard_session=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  it('sign-out ends the sign-in on the server (spec 5.9.2, 3 Dashboard sign-in)', async () => {
    const cookie = await service.signIn();
    await service.ask('/auth/logout', { method: 'POST', cookie });
    expect(await service.ask('/auth/me', { cookie })).toMatchObject({
      status: 401,
      body: { error: 'invalid session' },
    });
  });

  it.each([undefined, 'svc_dashboard_session=nonsense'])(
    'sign-out answers 204 with cookie %s (contract 2 logout)',
    async (cookie) => {
      expect((await service.ask('/auth/logout', { method: 'POST', cookie })).status).toBe(204);
    },
  );

  it('nowhere in the database is the cookie itself (contract 4)', async () => {
    const cookie = await service.signIn();
    const value = cookie.slice(cookie.indexOf('=') + 1);
    const files = ['svc.db', 'svc.db-wal'].map((name) => `${service.dataDir}/${name}`);
    const { readFileSync } = await import('node:fs');
    for (const file of files) expect(readFileSync(file).includes(value)).toBe(false);
  });

  it('a person sees their own sign-ins, newest first, and which one this is', async () => {
    const user = await makeUser(service, root, { email: 'list@lab.test' });
    const first = await service.signIn(user.email, user.password);
    service.clock.advance(1000);
    const second = await service.signIn(user.email, user.password);
    const { body } = await service.ask('/auth/sign-ins', { cookie: first });
    expect(body.map((row: { current: boolean }) => row.current)).toEqual([false, true]);
    expect(Object.keys(body[0]).sort()).toEqual(
      ['createdAt', 'current', 'expiresAt', 'id', 'lastSeenAt', 'userAgent'].sort(),
    );
    const other = body[0].id;
    expect((await service.ask(`/auth/sign-ins/${other}`, { method: 'DELETE', cookie: first })).status).toBe(
      204,
    );
    expect((await service.ask('/auth/me', { cookie: second })).status).toBe(401);
    expect((await service.ask('/auth/me', { cookie: first })).status).toBe(200);
  });

  it('somebody else’s sign-in answers like an unknown one (contract 2)', async () => {
    const user = await makeUser(service, root, { email: 'other@lab.test' });
    const theirs = await service.signIn(user.email, user.password);
    const [{ id }] = (await service.ask('/auth/sign-ins', { cookie: theirs })).body;
    const remove = (target: string) =>
      service.ask(`/auth/sign-ins/${target}`, { method: 'DELETE', cookie: root });
    const [hidden, unknown] = [await remove(id), await remove('00000000-0000-4000-8000-000000000000')];
    expect(hidden).toMatchObject({ status: 404, text: unknown.text });
    expect((await service.ask('/auth/me', { cookie: theirs })).status).toBe(200);
  });

  it('ending the own sign-in clears the cookie (contract 2)', async () => {
    const cookie = await service.signIn();
    const rows = (await service.ask('/auth/sign-ins', { cookie })).body;
    const { id } = rows.find((row: { current: boolean }) => row.current);
    const answer = await service.ask(`/auth/sign-ins/${id}`, { method: 'DELETE', cookie });
    expect(setCookie(answer.headers)).toContain('Max-Age=0');
    expect((await service.ask('/auth/me', { cookie })).status).toBe(401);
  });
});

describe('life of a sign-in', () => {
  it('every request extends it; 24 hours after the last one it is over (spec 5.9.2, 3 Dashboard sign-in)', async () => {
    const service = await openService();
    const cookie = await service.signIn();
    for (let day = 0; day < 3; day++) {
      service.clock.advance(DAY_MS - 1);
      expect((await service.ask('/auth/me', { cookie })).status).toBe(200);
    }
    service.clock.advance(DAY_MS);
    expect((await service.ask('/auth/me', { cookie })).status).toBe(401);
  });

  it('SVC_USER_SESSION_TTL_MS sets the life, also beyond a day, and the cookie follows (spec 5.9.2)', async () => {
    const service = await openService({ SVC_USER_SESSION_TTL_MS: String(3 * DAY_MS) });
    const answer = await service.ask('/auth/login', { json: ADMIN });
    expect(setCookie(answer.headers)).toContain('Max-Age=259200;');
    const cookie = cookieOf(answer);
    service.clock.advance(2 * DAY_MS);
    const me = await service.ask('/auth/me', { cookie });
    expect(setCookie(me.headers)).toContain('Max-Age=259200;');
    service.clock.advance(3 * DAY_MS);
    expect((await service.ask('/auth/me', { cookie })).status).toBe(401);
  });
});

describe('what a failed sign-in tells', () => {
  it('unknown, wrong, inactive and lapsed look the same, bytes and headers (spec 5.9.4, contract 4)', async () => {
    const service = await openService({}, { realHashes: true });
    const root = await service.signIn();
    const inactive = await makeUser(service, root, { email: 'inactive@lab.test' });
    await service.ask(`/users/${inactive.id}`, {
      method: 'PATCH',
      json: { status: 'Inactive' },
      cookie: root,
    });
    const json = { email: 'lapsed@lab.test', name: 'Lapsed', role: 'Member' };
    const { temporaryPassword } = (await service.ask('/users', { json, cookie: root })).body;
    service.clock.advance(7 * DAY_MS);
    const tries = [
      { email: 'nobody@lab.test', password: 'a password of tests' },
      { email: ADMIN.email, password: 'a password of tests' },
      { email: ADMIN.email, password: `${ADMIN.password}\0` },
      { email: ADMIN.email, password: 'x'.repeat(80) },
      { email: inactive.email, password: inactive.password },
      { email: 'lapsed@lab.test', password: temporaryPassword },
    ];
    const answers = [];
    for (const json of tries) answers.push(await service.ask('/auth/login', { json }));
    const seen = answers.map(({ status, headers, text }) => {
      const { 'x-request-id': id, date, ...rest } = headers;
      return JSON.stringify([status, rest, text]);
    });
    expect(new Set(seen).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { error: 'invalid credentials' } });
  });

  it('a temporary password lapses after 7 days only if nobody used it', async () => {
    const service = await openService();
    const root = await service.signIn();
    const json = { email: 'used@lab.test', name: 'Used', role: 'Member' };
    const { temporaryPassword } = (await service.ask('/users', { json, cookie: root })).body;
    service.clock.advance(6 * DAY_MS);
    const cookie = await service.signIn('used@lab.test', temporaryPassword);
    expect((await service.ask('/auth/me', { cookie })).body.passwordChangeRequired).toBe(true);
    service.clock.advance(30 * DAY_MS);
    await expect(service.signIn('used@lab.test', temporaryPassword)).resolves.toContain('=');
  });

  it('each leaves an audit row with its real reason', async () => {
    const service = await openService();
    await service.ask('/auth/login', { json: { email: 'nobody@lab.test', password: 'wrong' } });
    service.clock.advance(60_000);
    await service.ask('/auth/login', { json: { email: ADMIN.email, password: 'wrong' } });
    const rows = auditRows(service).filter(({ event }) => event === 'authn_login_fail');
    expect(rows.map(({ reason, outcome }) => [reason, outcome])).toEqual([
      ['unknown e-mail', 'failure'],
      ['wrong password', 'failure'],
    ]);
  });
});

describe('cost of the hash', () => {
  it('a sign-in rehashes when SVC_BCRYPT_COST changed, and the password stays good (spec 2 User, contract 4)', async () => {
    const before = await openService({ SVC_BCRYPT_COST: '10' }, { realHashes: true });
    await before.signIn();
    const { dataDir } = before;
    await before.close();
    const after = await openService({ SVC_BCRYPT_COST: '11', SVC_DATA_DIR: dataDir }, { realHashes: true });
    const { accounts } = after.services.stores;
    const id = accounts.byEmail(ADMIN.email)?.id as string;
    expect(accounts.passwordHash(id)).toMatch(/^\$2[aby]\$10\$/);
    await after.signIn();
    expect(accounts.passwordHash(id)).toMatch(/^\$2[aby]\$11\$/);
    await after.signIn();
  });
});

describe('the queue of hashes', () => {
  it('the queue of hashes is bounded: beyond it a quick 503 with Retry-After, which costs no attempt', async () => {
    const service = await openService({ SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '5' }, { realHashes: true });
    const login = (at: number) => service.ask('/auth/login', { json: ADMIN, from: `198.51.${at}.1` });
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => login(at)));
    const refused = answers.flatMap(({ status }, at) => (status === 503 ? [at] : []));
    const [first] = refused as [number];
    expect(answers[first]).toMatchObject({
      body: { error: 'overloaded', retryAfter: 2 },
      headers: { 'retry-after': '2' },
    });
    for (const { status } of answers) expect([204, 429, 503]).toContain(status);
    const json = { email: 'nobody@lab.test', password: 'wrong' };
    for (let at = 0; at < 5; at++) {
      expect((await service.ask('/auth/login', { json, from: `198.51.${first}.1` })).status).toBe(401);
    }
  });
});
