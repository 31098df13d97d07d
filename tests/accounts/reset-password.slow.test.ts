import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, auditRows, makeUser, openService, type Service, tokenOf } from './support/service.ts';

const HOUR_MS = 60 * 60 * 1000;
const NEW = 'a rather new password';
const ADDRESS = 'https://lab.example.com:8443';
const INVALID = { status: 404, body: { error: 'invalid or expired token' } };

let service: Service;
let root: string;
let count = 0;

async function someone(role = 'Member', cookie = root) {
  count += 1;
  return makeUser(service, cookie, { email: `person${count}@lab.test`, role });
}
const linkFor = (id: string, cookie = root) =>
  service.ask(`/users/${id}/reset-link`, { method: 'POST', cookie });
const check = (token: unknown) => service.ask('/auth/reset-password/check', { json: { token } });
const reset = (token: unknown, newPassword: unknown = NEW) =>
  service.ask('/auth/reset-password', { json: { token, newPassword } });

describe('a reset link', () => {
  beforeAll(async () => {
    service = await openService();
    root = await service.signIn();
  });

  it('a reset link sets the password once, signs out everywhere and cancels the other links (spec 5.10.4, 2 Password reset link, 3 Reset link, 3 Dashboard sign-in, 4 reset-password)', async () => {
    const user = await someone();
    const cookie = await service.signIn(user.email, user.password);
    const [first, second] = [(await linkFor(user.id)).body, (await linkFor(user.id)).body];
    expect(await check(tokenOf(first.link))).toMatchObject({ status: 200, body: { ok: true } });
    expect((await reset(tokenOf(first.link))).status).toBe(204);
    expect((await service.ask('/auth/me', { cookie })).status).toBe(401);
    for (const link of [first.link, second.link]) {
      expect(await check(tokenOf(link))).toMatchObject(INVALID);
      expect(await reset(tokenOf(link))).toMatchObject(INVALID);
    }
    await service.signIn(user.email, NEW);
    await expect(service.signIn(user.email, user.password)).rejects.toThrow('401');
  });

  it('a reset link ends bearer tokens minted from the sign-ins it ended, not those of keys', async () => {
    const user = await someone();
    const cookie = await service.signIn(user.email, user.password);
    const { token } = (await service.ask('/profile/tokens', { json: { name: 'ci' }, cookie })).body;
    const { accessKey } = (await service.ask('/profile/access-key', { cookie })).body;
    const pair = { 'x-svc-access-key': accessKey, 'x-svc-token': token };
    const mint = async (credential: object) => {
      const { body } = await service.ask('/auth/token', { json: {}, ...credential });
      return { headers: { authorization: `Bearer ${body.token}` } };
    };
    const ofSignIn = await mint({ cookie });
    const again = await mint(ofSignIn);
    const ofKey = await mint({ headers: pair });
    await reset(tokenOf((await linkFor(user.id)).body.link));
    expect((await service.ask('/auth/me', ofSignIn)).body).toEqual({ error: 'invalid token' });
    expect((await service.ask('/auth/me', again)).status).toBe(401);
    expect((await service.ask('/auth/me', ofKey)).status).toBe(200);
    expect((await service.ask('/auth/me', { headers: pair })).status).toBe(200);
  });

  it.each([
    ['short', 'password must be at least 8 characters'],
    ['x'.repeat(73), 'password is too long'],
    ['eight\0chars', 'password has an unusable character'],
    ['password1', 'password is too common'],
  ])('a reset link is not spent by the bad new password %j (contract 2)', async (password, error) => {
    const user = await someone();
    const token = tokenOf((await linkFor(user.id)).body.link);
    expect(await reset(token, password)).toMatchObject({ status: 400, body: { error } });
    expect((await reset(token)).status).toBe(204);
  });

  it('the length is told before a bad link, a bad link before the list of common passwords (contract 4)', async () => {
    const TOO_SHORT = 'password must be at least 8 characters';
    expect(await reset('no link', 'short')).toMatchObject({ status: 400, body: { error: TOO_SHORT } });
    expect(await reset('no link', 'password1')).toMatchObject(INVALID);
  });

  it('a reset link lasts an hour, to the millisecond (spec 5.10.4, 2 Password reset link, 3 Reset link)', async () => {
    const user = await someone();
    const { link, expiresAt } = (await linkFor(user.id)).body;
    expect(Date.parse(expiresAt) - service.clock.now()).toBe(HOUR_MS);
    service.clock.advance(HOUR_MS - 1);
    expect((await check(tokenOf(link))).status).toBe(200);
    service.clock.advance(1);
    expect(await check(tokenOf(link))).toMatchObject(INVALID);
    expect(await reset(tokenOf(link))).toMatchObject(INVALID);
    root = await service.signIn();
  });

  it('a reset link is no use to a user who was made Inactive, and stays none (spec 3, User)', async () => {
    const user = await someone();
    const token = tokenOf((await linkFor(user.id)).body.link);
    const set = (status: string) =>
      service.ask(`/users/${user.id}`, { method: 'PATCH', json: { status }, cookie: root });
    await set('Inactive');
    expect(await reset(token)).toMatchObject(INVALID);
    await set('Active');
    expect(await reset(token)).toMatchObject(INVALID);
  });

  it.each(['', 'nonsense', 'x'.repeat(43), `${'x'.repeat(43)}\n`, 'é'.repeat(43)])(
    'the token %j is 404 (contract 2)',
    async (token) => {
      expect(await check(token)).toMatchObject(INVALID);
      expect(await reset(token)).toMatchObject(INVALID);
    },
  );

  it('a body without its fields is 400 and names the field (contract 1)', async () => {
    const answer = await service.ask('/auth/reset-password', { json: { token: 'x' } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect(answer.body.message).toContain('newPassword');
  });

  it('only a hash of its token is kept (contract 4)', async () => {
    const user = await someone();
    const token = tokenOf((await linkFor(user.id)).body.link);
    const { readFileSync } = await import('node:fs');
    for (const name of ['svc.db', 'svc.db-wal']) {
      expect(readFileSync(`${service.dataDir}/${name}`).includes(token)).toBe(false);
    }
    expect(JSON.stringify(auditRows(service))).not.toContain(token);
  });

  it('fifty-one at once with one link: exactly one sets the password', async () => {
    const user = await someone();
    const token = tokenOf((await linkFor(user.id)).body.link);
    const answers = await Promise.all(
      Array.from({ length: 51 }, (_, at) =>
        service.ask('/auth/reset-password', {
          json: { token, newPassword: `${NEW} ${at}` },
          from: `198.51.100.${at}`,
        }),
      ),
    );
    const winners = answers.flatMap(({ status }, at) => (status === 204 ? [at] : []));
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(50);
    await service.signIn(user.email, `${NEW} ${winners[0]}`);
    const rows = auditRows(service).filter(
      ({ event, target }) => event === 'authn_password_change' && target === user.id,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('POST /users/:id/reset-link', () => {
  beforeAll(async () => {
    service = await openService();
    root = await service.signIn();
  });

  it('an Admin may for Members, a Super admin for anyone but themselves (spec 5.10.2)', async () => {
    const boss = await someone('Super admin');
    const admin = await someone('Admin');
    const peer = await someone('Admin');
    const member = await someone();
    const asAdmin = await service.signIn(admin.email, admin.password);
    const asMember = await service.signIn(member.email, member.password);
    const mine = (await service.ask('/auth/me', { cookie: root })).body.id;
    const outcomes = [
      [await linkFor(member.id, asAdmin), 200, undefined],
      [await linkFor(peer.id, asAdmin), 403, 'role_exceeds_yours'],
      [await linkFor(boss.id, asAdmin), 403, 'role_exceeds_yours'],
      [await linkFor(admin.id, asAdmin), 400, 'cannot_change_yourself'],
      [await linkFor(boss.id), 200, undefined],
      [await linkFor(admin.id), 200, undefined],
      [await linkFor(mine), 400, 'cannot_change_yourself'],
      [await linkFor(member.id, asMember), 403, 'insufficient_role'],
      [await linkFor('00000000-0000-4000-8000-000000000000'), 404, 'not_found'],
    ] as const;
    for (const [{ status, body }, wanted, error] of outcomes)
      expect([status, body.error]).toEqual([wanted, error]);
  });

  it('a user who is not Active is 409 (contract 2)', async () => {
    const user = await someone();
    await service.ask(`/users/${user.id}`, { method: 'PATCH', json: { status: 'Inactive' }, cookie: root });
    expect(await linkFor(user.id)).toMatchObject({ status: 409, body: { error: 'user_not_active' } });
  });

  it('the link is in the answer if there is no mail, as a path for the browser to complete (spec 5.10.2, 5.10.3)', async () => {
    const user = await someone();
    const { body } = await service.ask(`/users/${user.id}/reset-link`, {
      method: 'POST',
      cookie: root,
      headers: { host: 'lab.test:4723', 'x-forwarded-host': 'evil.test' },
    });
    expect(body).toEqual({
      emailed: false,
      link: expect.stringMatching(/^\/svc\/reset-password#[\w-]{43}$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('the link begins with SVC_PUBLIC_URL if only that is set (spec 5.10.3, 2 Password reset link)', async () => {
    service = await openService({ SVC_PUBLIC_URL: `${ADDRESS}/svc/` });
    root = await service.signIn();
    const { body } = await linkFor((await someone()).id);
    expect(body.emailed).toBe(false);
    expect(body.link).toMatch(new RegExp(`^${ADDRESS}/svc/reset-password#[\\w-]{43}$`));
    expect((await service.ask('/auth/options')).body.passwordReset).toBe('admin');
  });

  it('the link is mailed and not answered if there is a mail server (spec 5.10.1)', async () => {
    service = await openService({ SVC_PUBLIC_URL: ADDRESS }, { mails: true });
    root = await service.signIn();
    const user = await someone();
    const { body } = await linkFor(user.id);
    expect(body).toEqual({ emailed: true, expiresAt: expect.any(String) });
    const mail = await service.nextMail();
    expect(mail.to).toBe(user.email);
    expect(mail.text).toMatch(new RegExp(`^${ADDRESS}/svc/reset-password#[\\w-]{43}$`, 'm'));
  });
});

describe('the Forgot password form', () => {
  const forgot = (json: unknown, headers: Record<string, string> = {}) =>
    service.ask('/auth/forgot-password', { json, headers });

  describe('with mail', () => {
    beforeEach(async () => {
      service = await openService(
        { SVC_PUBLIC_URL: ADDRESS, SVC_RESET_TOKEN_TTL_MS: '5400000' },
        { mails: true },
      );
    });

    it('mails a link to SVC_PUBLIC_URL that says how long it lives (spec 5.10.1, 5.10.3, 5.10.4)', async () => {
      expect((await service.ask('/auth/options')).body.passwordReset).toBe('email');
      const host = { host: 'evil.test', origin: 'http://evil.test', 'x-forwarded-host': 'evil.test' };
      expect((await forgot({ email: ` ${ADMIN.email.toUpperCase()} ` }, host)).status).toBe(204);
      const mail = await service.nextMail();
      expect(mail.to).toBe(ADMIN.email);
      for (const part of [mail.text, mail.html]) {
        expect(part).toContain('1 hour 30 minutes');
        expect(part).not.toContain('evil');
      }
      const link = mail.text.split('\n').find((line) => line.startsWith(ADDRESS)) as string;
      expect(mail.html).toContain(link);
      expect((await reset(tokenOf(link))).status).toBe(204);
      await service.signIn(ADMIN.email, NEW);
    });

    it.each([
      ['an account', { email: ADMIN.email }],
      ['no account', { email: 'nobody@lab.test' }],
      ['a number', { email: 7 }],
      ['null', { email: null }],
      ['an object', { email: { $ne: '' } }],
      ['nothing', {}],
      ['something else', { mail: 'x' }],
      ['far too much', { email: 'x'.repeat(100_000) }],
    ])(
      'answers the same for %s (spec 5.10.5, 4 forgot-password, contract 2 forgot-password)',
      async (_name, json) => {
        const answer = await forgot(json);
        const { 'x-request-id': _, date: __, connection: ___, ...headers } = answer.headers;
        expect([answer.status, answer.text, headers]).toEqual([204, '', { 'cache-control': 'no-store' }]);
      },
    );

    it.each([[[]], ['text'], [7], [null]])('%j is no object and 400 (contract 2)', async (json) => {
      expect(await forgot(json)).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    });

    it('an Inactive user gets no mail (spec 5.9.4)', async () => {
      root = await service.signIn();
      const user = await someone();
      await service.ask(`/users/${user.id}`, { method: 'PATCH', json: { status: 'Inactive' }, cookie: root });
      await forgot({ email: user.email });
      await forgot({ email: ADMIN.email });
      expect((await service.nextMail()).to).toBe(ADMIN.email);
      expect(service.mails()).toBe(1);
    });

    it('a reset link requested before the server stops is still mailed', async () => {
      await forgot({ email: ADMIN.email });
      await service.close();
      expect(service.mails()).toBe(1);
    });
  });

  it('many addresses cannot bury one person in mail (spec 5.10.5)', async () => {
    service = await openService(
      { SVC_PUBLIC_URL: ADDRESS, SVC_RESET_RATE_LIMIT_ATTEMPTS: '3' },
      { mails: true },
    );
    for (let at = 0; at < 20; at++) {
      await forgot({ email: ADMIN.email }, { 'x-forwarded-for': `198.51.100.${at}` });
    }
    await service.close();
    expect(service.mails()).toBe(12);
  });

  const logged = () => service.log.filter((line) => line.includes('/svc/reset-password#'));
  const FALLBACK = { SVC_PASSWORD_RESET_LOG_FALLBACK: 'true' };

  it('the link goes to the log with the fallback, SVC_PUBLIC_URL and no mail server (spec 5.10.6)', async () => {
    service = await openService({ ...FALLBACK, SVC_PUBLIC_URL: ADDRESS });
    expect(service.log.some((line) => line.startsWith('warn SVC_PASSWORD_RESET_LOG_FALLBACK is on'))).toBe(
      true,
    );
    await forgot({ email: ADMIN.email });
    await forgot({ email: 'nobody@lab.test' });
    await service.close();
    expect(logged()).toHaveLength(1);
    expect(logged()[0]).toContain(`${ADDRESS}/svc/reset-password#`);
  });

  it.each([
    ['off', { SVC_PUBLIC_URL: ADDRESS }, false],
    ['on but not exactly true', { SVC_PASSWORD_RESET_LOG_FALLBACK: '1', SVC_PUBLIC_URL: ADDRESS }, false],
    ['on without SVC_PUBLIC_URL', FALLBACK, false],
    ['on with a mail server', { ...FALLBACK, SVC_PUBLIC_URL: ADDRESS }, true],
  ])('no link is logged with the fallback %s (spec 5.10.6)', async (_name, env, mails) => {
    service = await openService(env, { mails });
    await forgot({ email: ADMIN.email });
    await service.close();
    expect(logged()).toEqual([]);
  });

  it.each([
    `${ADDRESS}/lab/svc/`,
    `${ADDRESS}/other`,
    `${ADDRESS}/?x=1`,
    'https://user@lab.example.com/',
    'ftp://lab.example.com',
    'lab.example.com',
  ])('SVC_PUBLIC_URL=%s is ignored with a warning, and nothing is mailed (spec 5.10.3)', async (url) => {
    service = await openService({ SVC_PUBLIC_URL: url }, { mails: true });
    expect(service.log.some((line) => line.startsWith('warn SVC_PUBLIC_URL'))).toBe(true);
    expect((await service.ask('/auth/options')).body.passwordReset).toBe('admin');
    root = await service.signIn();
    expect((await linkFor((await someone()).id)).body.link).toMatch(/^\/svc\/reset-password#/);
  });
});
