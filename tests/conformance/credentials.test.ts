import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credentials, type Pair, type Person, targets, World } from './support/world.ts';

describe.each(targets)('credentials on $name', ({ start }) => {
  let world: World;
  let byPair: Person;
  let byBearer: Person;
  let byCookie: Person;
  let pair: Pair;
  let bearer: Credentials;

  beforeAll(async () => {
    world = await World.start(start);
    [byPair, byBearer, byCookie] = [await world.person(), await world.person(), await world.person()];
    pair = await world.pair(byPair.as);
    bearer = await world.bearer(byBearer.as);
  });
  afterAll(() => world.server.stop());

  const WRONG = {
    pair: { 'x-svc-access-key': 'svc_wrong', 'x-svc-token': 'svct_wrong' },
    bearer: { authorization: 'Bearer wrong' },
    cookie: { cookie: 'svc_dashboard_session=wrong' },
  };
  const STATES = ['absent', 'good', 'wrong'] as const;
  const combinations = STATES.flatMap((p) => STATES.flatMap((b) => STATES.map((c) => [p, b, c] as const)));

  it.each(combinations)(
    'pair %s, bearer %s, cookie %s: the first one present decides alone (spec 5.1.1, 5.1.3)',
    async (pairIs, bearerIs, cookieIs) => {
      const good = { pair: pair.as, bearer, cookie: byCookie.as };
      const pick = (kind: keyof typeof good, state: (typeof STATES)[number]) =>
        state === 'absent' ? {} : state === 'good' ? good[kind] : WRONG[kind];
      const answer = await world.api('GET', '/auth/me', {
        as: { ...pick('pair', pairIs), ...pick('bearer', bearerIs), ...pick('cookie', cookieIs) },
      });
      const expected =
        pairIs !== 'absent'
          ? [pairIs, byPair.email, 'invalid credentials']
          : bearerIs !== 'absent'
            ? [bearerIs, byBearer.email, 'invalid token']
            : [cookieIs, byCookie.email, cookieIs === 'absent' ? 'unauthenticated' : 'invalid session'];
      const outcome = answer.status === 200 ? answer.body.email : `${answer.status} ${answer.body.error}`;
      expect(outcome).toBe(expected[0] === 'good' ? expected[1] : `401 ${expected[2]}`);
    },
  );

  it.each(['x-svc-access-key', 'x-svc-token'] as const)(
    '%s alone is a failing pair, whatever stands beside it (contract 1)',
    async (half) => {
      const alone = { [half]: pair.as[half] as string };
      expect(await world.asks(alone)).toBe('401 invalid credentials');
      expect(await world.asks({ ...alone, ...bearer, ...byCookie.as })).toBe('401 invalid credentials');
      expect(await world.asks({ ...alone, [other(half)]: '' })).toBe('401 invalid credentials');
    },
  );

  const other = (half: string) => (half === 'x-svc-token' ? 'x-svc-access-key' : 'x-svc-token');

  it('a token works with its owner access key only (spec 2, Access key)', async () => {
    const foreign = await world.pair(byBearer.as);
    const mixed = { 'x-svc-access-key': foreign.accessKey, 'x-svc-token': pair.token };
    expect(await world.asks(mixed)).toBe('401 invalid credentials');
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])(
    'the scheme is read in any letter case: %s (spec 5.1)',
    async (scheme) => {
      const token = (bearer.authorization as string).slice('Bearer '.length);
      expect(await world.asks({ authorization: `${scheme} ${token}` })).toBe('200');
    },
  );

  it.each(['Basic YTpi', 'Token x', 'Bearerx', 'Digest a=b'])(
    'another scheme is no credential of ours: %s (spec 5.1)',
    async (authorization) => {
      expect(await world.asks({ authorization })).toBe('401 unauthenticated');
      expect(await world.asks({ authorization, ...byCookie.as })).toBe('200');
    },
  );

  it('the cookie is found among others and by its exact name (spec 5.1)', async () => {
    const { cookie = '' } = byCookie.as;
    const value = cookie.slice(cookie.indexOf('=') + 1);
    expect(await world.asks({ cookie: `a=b; ${cookie}; c=d` })).toBe('200');
    expect(await world.asks({ cookie: `x_svc_dashboard_session=${value}` })).toBe('401 unauthenticated');
    expect(await world.asks({ cookie: `SVC_DASHBOARD_SESSION=${value}` })).toBe('401 unauthenticated');
  });

  it('several different sign-in cookies count as no cookie, for every client and route (spec 2 Dashboard sign-in)', async () => {
    const { cookie = '' } = byCookie.as;
    const other = 'svc_dashboard_session=of-another-service';
    expect(await world.asks({ cookie: `${cookie}; ${cookie}` })).toBe('200');
    for (const both of [`${cookie}; ${other}`, `${other}; ${cookie}`, `${cookie}; svc_dashboard_session=`]) {
      expect(await world.asks({ cookie: both })).toBe('401 unauthenticated');
      for (const path of ['/auth/verify', '/auth/sign-ins', '/devices'])
        expect((await world.api('GET', path, { as: { cookie: both } })).status, path).toBe(401);
      expect((await world.api('POST', '/auth/logout', { as: { cookie: both } })).status).toBe(204);
    }
    expect(await world.asks({ cookie })).toBe('200');
  });

  it('the cookie and its attributes (spec 2 Dashboard sign-in, 4 login, contract 2 login)', async () => {
    const login = (headers: Record<string, string>) =>
      world.api('POST', '/auth/login', {
        json: { email: byCookie.email, password: byCookie.password },
        headers,
      });
    const plain = await login({});
    expect([plain.status, plain.text]).toEqual([204, '']);
    const attributes = (answer: typeof plain) =>
      answer.headers['set-cookie']?.[0]?.split('; ').slice(1).sort();
    const always = ['HttpOnly', 'Max-Age=86400', 'Path=/', 'SameSite=Strict'];
    expect(plain.headers['set-cookie']?.[0]).toMatch(/^svc_dashboard_session=[A-Za-z0-9_-]{43}; /);
    expect(attributes(plain)).toEqual(always);
    expect(attributes(await login({ 'x-forwarded-proto': 'https' }))).toEqual([...always, 'Secure']);
  });

  it('sign-out ends the sign-in on the server and is answered alike for a stranger (spec 3 Dashboard sign-in, contract 2 logout)', async () => {
    const as = await world.signIn(byCookie.email, byCookie.password);
    const out = await world.api('POST', '/auth/logout', { as });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']?.[0]).toMatch(
      /^svc_dashboard_session=; Max-Age=0; Path=\/; .*HttpOnly; SameSite=Strict/,
    );
    expect(await world.asks(as)).toBe('401 invalid session');
    for (const again of [as, {}])
      expect((await world.api('POST', '/auth/logout', { as: again })).status).toBe(204);
  });

  it('wrong e-mail, wrong password and a password too long to be one are answered alike (spec 5.9.4, 4 login, contract 2 login)', async () => {
    const tries = [
      { email: 'nobody@lab.test', password: byPair.password },
      { email: byPair.email, password: 'not the password' },
      { email: byPair.email, password: `${byPair.password}\0` },
      { email: byPair.email, password: 'x'.repeat(5000) },
    ];
    for (const [index, json] of tries.entries()) {
      const answer = await world.api('POST', '/auth/login', {
        json,
        headers: { 'x-forwarded-for': `192.0.2.${index}` },
      });
      expect([answer.status, answer.body]).toEqual([401, { error: 'invalid credentials' }]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  it('e-mails are the same in any letter case (contract 2)', async () => {
    expect(await world.asks(await world.signIn(byPair.email.toUpperCase(), byPair.password))).toBe('200');
  });
});
