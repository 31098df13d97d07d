import { beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, type Ask, makeUser, openService, type Service } from './support/service.ts';

const MINUTE_MS = 60_000;
const WRONG = { email: ADMIN.email, password: 'not the password' };
const TOO_MANY = { status: 429, body: { error: 'too many login attempts', retryAfter: 300 } };

/** The default limits. */
const DEFAULTS = { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '5', SVC_RESET_RATE_LIMIT_ATTEMPTS: '3' };

describe('sign-in attempts of an address', () => {
  let service: Service;
  beforeEach(async () => {
    service = await openService(DEFAULTS);
  });
  const login = (json: unknown = WRONG, input: Ask = {}) => service.ask('/auth/login', { json, ...input });
  async function statuses(count: number, json: unknown = WRONG, input: Ask = {}) {
    const all: number[] = [];
    for (let at = 0; at < count; at++) all.push((await login(json, input)).status);
    return all;
  }

  it('the sixth within 5 minutes is 429 with Retry-After, and the right password too (spec 5.9.3, 4 login, contract 2 login)', async () => {
    expect(await statuses(5)).toEqual([401, 401, 401, 401, 401]);
    const answer = await login();
    expect(answer).toMatchObject(TOO_MANY);
    expect(answer.headers['retry-after']).toBe('300');
    expect((await login(ADMIN)).status).toBe(429);
  });

  it('Retry-After is what is left of the window, and then it is open again (spec 5.9.3)', async () => {
    await statuses(5);
    service.clock.advance(4 * MINUTE_MS + 500);
    expect((await login()).body.retryAfter).toBe(60);
    service.clock.advance(MINUTE_MS - 501);
    expect((await login()).status).toBe(429);
    service.clock.advance(1);
    expect((await login(ADMIN)).status).toBe(204);
  });

  it('a success resets the count (spec 5.9.3)', async () => {
    await statuses(4);
    expect((await login(ADMIN)).status).toBe(204);
    expect(await statuses(6)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it.each([
    ['malformed JSON', { body: '{"email":' }, 400, 'bad_request'],
    ['a missing field', { json: { email: ADMIN.email } }, 400, 'email and password required'],
    ['an empty password', { json: { email: ADMIN.email, password: '' } }, 400, 'email and password required'],
    ['no object', { json: [] }, 400, 'bad_request'],
    [
      'another media type',
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
  ] satisfies [string, Ask, number, string][])(
    '%s counts as an attempt (contract 2 login)',
    async (_name, input, status, error) => {
      for (let at = 0; at < 5; at++) {
        expect(await service.ask('/auth/login', input)).toMatchObject({ status, body: { error } });
      }
      expect(await service.ask('/auth/login', input)).toMatchObject(TOO_MANY);
    },
  );

  it('the origin check comes before: a foreign page cannot use up the attempts (contract 1)', async () => {
    for (let at = 0; at < 8; at++) {
      expect((await login(WRONG, { headers: { origin: 'https://evil.test' } })).status).toBe(403);
    }
    expect((await login()).status).toBe(401);
  });

  it('simultaneous attempts cannot all pass', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => login()));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  });

  it('the address is the first X-Forwarded-For value (spec 5.9.3)', async () => {
    const via = (chain: string) => ({ headers: { 'x-forwarded-for': chain } });
    expect(await statuses(5, WRONG, via('203.0.113.1, 198.51.100.7'))).toEqual([401, 401, 401, 401, 401]);
    expect((await login(WRONG, via('203.0.113.1, 198.51.100.8'))).status).toBe(429);
    expect((await login(WRONG, via('203.0.113.2, 198.51.100.7'))).status).toBe(401);
    expect((await login()).status).toBe(401);
  });

  it('sign-in attempts behind SVC_TRUSTED_PROXIES count for the right-most untrusted address, whatever precedes it (contract 5)', async () => {
    service = await openService({ ...DEFAULTS, SVC_TRUSTED_PROXIES: '192.0.2.0/24' });
    const via = (chain: string) => ({ headers: { 'x-forwarded-for': chain } });
    for (let at = 0; at < 5; at++) await login(WRONG, via(`203.0.113.${at}, 198.51.100.7, 192.0.2.9`));
    expect((await login(WRONG, via('203.0.113.77, 198.51.100.7'))).status).toBe(429);
    expect((await login(WRONG, via('203.0.113.77, 198.51.100.8'))).status).toBe(401);
  });

  it('one IPv6 customer is one address', async () => {
    const via = (host: number) => ({ headers: { 'x-forwarded-for': `2001:db8:1:2::${host.toString(16)}` } });
    for (let at = 1; at <= 5; at++) expect((await login(WRONG, via(at))).status).toBe(401);
    expect((await login(WRONG, via(6))).status).toBe(429);
    expect((await login(WRONG, { headers: { 'x-forwarded-for': '2001:db8:1:3::1' } })).status).toBe(401);
  });

  it('both numbers can be set (spec 5.9.3)', async () => {
    service = await openService({
      SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '2',
      SVC_LOGIN_RATE_LIMIT_WINDOW_MS: '10000',
    });
    expect(await statuses(3)).toEqual([401, 401, 429]);
    service.clock.advance(9_999);
    expect((await login()).body.retryAfter).toBe(1);
    service.clock.advance(1);
    expect((await login(ADMIN)).status).toBe(204);
  });
});

describe('sign-in attempts at an account', () => {
  const from = (at: number): Ask => ({ from: `198.51.100.${at}` });
  async function guess(service: Service, email: string, tries: number): Promise<number[]> {
    const all: number[] = [];
    for (let at = 0; at < tries; at++) {
      const json = { email, password: 'a guess' };
      all.push((await service.ask('/auth/login', { json, ...from(at + 1) })).status);
    }
    return all;
  }
  /** Expected statuses of 102 guesses (contract 4). */
  const EXPECTED = [...Array(100).fill(401), 429, 429];

  it('many addresses cannot guess one account, whether it exists or not (contract 4)', async () => {
    const service = await openService(DEFAULTS);
    expect(await guess(service, ADMIN.email, 102)).toEqual(EXPECTED);
    expect(await guess(service, 'nobody@lab.test', 102)).toEqual(EXPECTED);
    const strange = await service.ask('/auth/login', { json: ADMIN, from: '203.0.113.5' });
    expect(strange).toMatchObject(TOO_MANY);
  });

  it('another spelling of the e-mail is the same account (contract 4)', async () => {
    const service = await openService(DEFAULTS);
    await guess(service, ADMIN.email, 100);
    const json = { email: ` ${ADMIN.email.toUpperCase()}`, password: 'x' };
    expect((await service.ask('/auth/login', { json, from: '203.0.113.5' })).status).toBe(429);
  });

  it('four guesses and an own sign-in, again: 100 guesses from a shared address, no more (contract 4)', async () => {
    const service = await openService(DEFAULTS);
    const mallory = { email: 'mallory@lab.test', password: "mallory's own password" };
    await makeUser(service, await service.signIn(), mallory);
    const shared = '203.0.113.9';
    const login = async (json: object) => (await service.ask('/auth/login', { json, from: shared })).status;
    for (const familiar of [ADMIN, mallory]) expect(await login(familiar)).toBe(204);
    const answers: number[] = [];
    for (let round = 0; round < 26; round++) {
      for (let at = 0; at < 4; at++) answers.push(await login({ email: ADMIN.email, password: 'a guess' }));
      expect(await login(mallory)).toBe(204);
    }
    expect(answers).toEqual([...Array(100).fill(401), ...Array(4).fill(429)]);
    expect(await login(ADMIN)).toBe(429);
  });

  it('SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS overrides; 0 turns it off (contract 4)', async () => {
    const three = await openService({ ...DEFAULTS, SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS: '3' });
    expect(await guess(three, ADMIN.email, 4)).toEqual([401, 401, 401, 429]);
    const off = await openService({ ...DEFAULTS, SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS: '0' });
    expect(await guess(off, ADMIN.email, 150)).toEqual(Array(150).fill(401));
  });

  it('an account that signed in from an address before is not locked out there (contract 4)', async () => {
    const service = await openService(DEFAULTS);
    await service.signIn(ADMIN.email, ADMIN.password, '203.0.113.9');
    await guess(service, ADMIN.email, 102);
    const here = await service.ask('/auth/login', { json: ADMIN, from: '203.0.113.9' });
    expect(here.status).toBe(204);
  });

  it('an account keeps its known address through a restart in the middle of the attack (contract 4)', async () => {
    const before = await openService(DEFAULTS);
    await before.signIn(ADMIN.email, ADMIN.password, '203.0.113.9');
    const { dataDir } = before;
    await before.close();
    const service = await openService({ ...DEFAULTS, SVC_DATA_DIR: dataDir });
    await guess(service, ADMIN.email, 102);
    const at = (address: string) => service.ask('/auth/login', { json: ADMIN, from: address });
    expect((await at('203.0.113.10')).status).toBe(429);
    expect((await at('203.0.113.9')).status).toBe(204);
  });

  it('signing in to one’s own account buys no guesses at another (contract 4)', async () => {
    const service = await openService(DEFAULTS);
    const root = await service.signIn();
    const mallory = await makeUser(service, root, { email: 'mallory@lab.test' });
    let allowed = 0;
    for (let round = 0; round < 27; round++) {
      for (let at = 0; at < 4; at++) {
        const json = { email: 'victim@lab.test', password: 'a guess' };
        const { status } = await service.ask('/auth/login', { json, from: '198.51.100.1' });
        if (status === 401) allowed += 1;
      }
      await service.signIn(mallory.email, mallory.password, '198.51.100.1');
    }
    expect(allowed).toBe(100);
  });
});

describe('attempts at links and passwords', () => {
  it('3 reset requests per address in 15 minutes, then 429 with Retry-After (spec 5.10.5, 4 forgot-password)', async () => {
    const service = await openService(DEFAULTS);
    const forgot = () => service.ask('/auth/forgot-password', { json: { email: 'a@lab.test' } });
    for (let at = 0; at < 3; at++) expect((await forgot()).status).toBe(204);
    const answer = await forgot();
    expect(answer).toMatchObject({
      status: 429,
      body: { error: 'too many reset requests', retryAfter: 900 },
      headers: { 'retry-after': '900' },
    });
    service.clock.advance(15 * MINUTE_MS);
    expect((await forgot()).status).toBe(204);
  });

  it('both numbers can be set (spec 5.10.5)', async () => {
    const service = await openService({
      SVC_RESET_RATE_LIMIT_ATTEMPTS: '1',
      SVC_RESET_RATE_LIMIT_WINDOW_MS: '5000',
    });
    const forgot = () => service.ask('/auth/forgot-password', { json: {} });
    expect([(await forgot()).status, (await forgot()).body.retryAfter]).toEqual([204, 5]);
    service.clock.advance(5000);
    expect((await forgot()).status).toBe(204);
  });

  it('check and reset share one counter of 30, which SVC_RESET_* does not change (contract 2)', async () => {
    const service = await openService({ SVC_RESET_RATE_LIMIT_ATTEMPTS: '1' });
    const token = 'x'.repeat(43);
    for (let at = 0; at < 15; at++) {
      expect((await service.ask('/auth/reset-password/check', { json: { token } })).status).toBe(404);
      const json = { token, newPassword: 'a password of tests' };
      expect((await service.ask('/auth/reset-password', { json })).status).toBe(404);
    }
    for (const path of ['/auth/reset-password/check', '/auth/reset-password']) {
      expect(await service.ask(path, { json: { token } })).toMatchObject({
        status: 429,
        body: { error: 'too many reset requests', retryAfter: 900 },
      });
    }
    expect((await service.ask('/auth/forgot-password', { json: {} })).status).toBe(204);
  });

  it('10 tries of the current password per user in 15 minutes, from wherever (contract 2 change-password)', async () => {
    const service = await openService();
    const root = await service.signIn();
    const other = await makeUser(service, root, { email: 'other@lab.test' });
    const json = { oldPassword: 'wrong wrong', newPassword: 'a password of tests' };
    const change = (cookie: string, at: number) =>
      service.ask('/auth/change-password', { json, cookie, from: `198.51.100.${at}` });
    for (let at = 0; at < 10; at++) expect((await change(root, at)).status).toBe(400);
    expect(await change(root, 11)).toMatchObject({
      status: 429,
      body: { error: 'too many password attempts', retryAfter: 900 },
    });
    expect((await change(await service.signIn(other.email, other.password), 11)).status).toBe(400);
  });
});
