import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, call, type HttpResponse } from './support/call.ts';
import { type Person, targets, World } from './support/world.ts';

const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe.each(targets)('a sign-in from a terminal on $name', ({ start }) => {
  let world: World;
  let addresses = 0;

  beforeAll(async () => {
    // Raise the limit of attempts per address, because all requests of this file come from one address.
    world = await World.start(start, { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' });
  });
  afterAll(() => world.server.stop());

  const post = (path: string, form: Record<string, string>, options: CallOptions = {}) =>
    call(world.url, 'POST', `/svc/oauth/${path}`, {
      ...options,
      body: new URLSearchParams(form).toString(),
      headers: { origin: null, 'content-type': FORM, ...options.headers },
    });
  /** Requests codes from a new client address, so that tests do not use up each other's share. */
  const ask = (form: Record<string, string> = {}, headers: CallOptions['headers'] = {}) => {
    addresses += 1;
    return post(
      'device_authorization',
      { client_id: 'svc-cli', ...form },
      { headers: { 'x-forwarded-for': `10.9.${addresses >> 8}.${addresses & 255}`, ...headers } },
    );
  };
  const poll = (device_code: string, form: Record<string, string> = {}) =>
    post('token', { client_id: 'svc-cli', grant_type: GRANT, device_code, ...form });
  const look = (userCode: string, { as }: Pick<Person, 'as'>) =>
    world.api('GET', `/auth/device/${userCode}`, { as });
  const decide = (userCode: string, { as }: Pick<Person, 'as'>, approve: unknown) =>
    world.api('POST', `/auth/device/${userCode}`, { as, json: { approve } });
  const wordOf = ({ status, body }: HttpResponse) => [status, body?.error];

  it('a sign-in from a terminal starts with the codes, the page, the lifetime and the interval (contract 10.7)', async () => {
    const { status, body, headers } = await ask({ client_name: 'laptop' });
    expect(status).toBe(200);
    const uri = `${world.url}/svc/device`;
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: uri,
      verification_uri_complete: `${uri}?user_code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('a sign-in from a terminal names the address that the request was sent to (contract 10.7)', async () => {
    const sent = await ask({}, { host: 'Lab.example:8080', 'x-forwarded-proto': 'https' });
    expect(sent.body.verification_uri).toBe('https://lab.example:8080/svc/device');
    for (const host of ['me@lab.example', 'lab.example/x', 'lab.example?x', 'a b', '[::1']) {
      expect([host, ...wordOf(await ask({}, { host }))]).toEqual([host, 400, 'invalid_request']);
    }
  });

  it.each([
    ['no client', { client_id: '' }, 'invalid_request'],
    ['another client', { client_id: 'other' }, 'invalid_client'],
    ['a name with a line feed', { client_name: 'a\nb' }, 'invalid_request'],
    ['a name with a mark of direction', { client_name: 'a\u202eb' }, 'invalid_request'],
    ['a long name', { client_name: 'x'.repeat(101) }, 'invalid_request'],
  ] as const)('a sign-in from a terminal is refused for %s (contract 10.7)', async (_, form, error) => {
    expect(wordOf(await ask(form))).toEqual([400, error]);
    const { body } = await ask(form);
    expect(Object.keys(body).sort()).toEqual(['error', 'error_description']);
  });

  it('a sign-in from a terminal shows who asks and from where, and gives the credentials once (contract 10.7)', async () => {
    const person = await world.person('Admin');
    const { body: started } = await ask(
      { client_name: 'Mia’s laptop' },
      { 'x-forwarded-for': '203.0.113.7' },
    );
    expect(wordOf(await poll(started.device_code))).toEqual([400, 'authorization_pending']);
    const typed = started.user_code.replace('-', '').toLowerCase();
    const shown = await look(typed, person);
    expect(shown.status).toBe(200);
    expect(shown.body).toEqual({
      clientName: 'Mia’s laptop',
      address: '203.0.113.7',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const approved = await decide(started.user_code, person, true);
    expect([approved.status, approved.text]).toEqual([204, '']);

    const polls = await Promise.all(Array.from({ length: 50 }, () => poll(started.device_code)));
    const [given, ...more] = polls.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(new Set(polls.filter(({ status }) => status !== 200).map((each) => wordOf(each).join()))).toEqual(
      new Set(['400,invalid_grant']),
    );
    const { accessKey } = await world.ok('GET', '/auth/me', { as: person.as });
    const credentials = given?.body;
    expect(credentials).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      access_key: accessKey,
      token: expect.stringMatching(/^svct_[0-9A-Za-z]{49}$/),
      token_expires_at: expect.any(String),
    });
    expect(given?.headers).toMatchObject({ 'cache-control': 'no-store' });
    const days = (Date.parse(credentials.token_expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);

    const pair = { 'x-svc-access-key': accessKey, 'x-svc-token': credentials.token };
    const bearer = { authorization: `Bearer ${credentials.access_token}` };
    for (const as of [pair, bearer]) {
      const me = await world.ok('GET', '/auth/me', { as });
      expect(me).toMatchObject({ email: person.email, scopes: ['read', 'sessions', 'devices'] });
    }
    const [token] = await world.ok('GET', '/profile/tokens', { as: person.as });
    expect(token).toMatchObject({ name: 'Mia’s laptop', expiresAt: credentials.token_expires_at });
    for (const answer of [await look(typed, person), await decide(typed, person, true)]) {
      expect(wordOf(answer)).toEqual([404, 'not_found']);
    }
  });

  it.each([
    ['Member', ['read', 'sessions']],
    ['Super admin', ['admin']],
  ] as const)(
    'a sign-in from a terminal gives a %s the scopes of a token of the Profile page (contract 10.7)',
    async (role, scopes) => {
      const person = await world.person(role);
      const { body: started } = await ask();
      await decide(started.user_code, person, true);
      const { body } = await poll(started.device_code);
      const as = { 'x-svc-access-key': body.access_key, 'x-svc-token': body.token };
      expect((await world.ok('GET', '/auth/me', { as })).scopes).toEqual(scopes);
    },
  );

  it('a sign-in from a terminal gives the scopes that the terminal asked for, and shows them before the approval (contract 10.7)', async () => {
    const person = await world.person('Admin');
    const { body: started } = await ask({ scope: 'read  sessions read' });
    expect((await look(started.user_code, person)).body.scopes).toEqual(['read', 'sessions']);
    await decide(started.user_code, person, true);
    const { body } = await poll(started.device_code);
    const pair = { 'x-svc-access-key': body.access_key, 'x-svc-token': body.token };
    for (const as of [pair, { authorization: `Bearer ${body.access_token}` }])
      expect((await world.ok('GET', '/auth/me', { as })).scopes).toEqual(['read', 'sessions']);
  });

  it.each(['read', 'sessions', 'devices'])(
    'a sign-in from a terminal gives the one scope %s (contract 10.7)',
    async (scope) => {
      const { body: started } = await ask({ scope });
      await decide(started.user_code, world.root, true);
      const { body } = await poll(started.device_code);
      const as = { authorization: `Bearer ${body.access_token}` };
      expect((await world.ok('GET', '/auth/me', { as })).scopes).toEqual([scope]);
    },
  );

  it('a sign-in from a terminal refuses unknown scopes when it starts, and those beyond the role at the poll (contract 10.7)', async () => {
    expect(wordOf(await ask({ scope: 'read write' }))).toEqual([400, 'invalid_scope']);
    expect(wordOf(await ask({ scope: 'svc:devices:read' }))).toEqual([400, 'invalid_scope']);
    const person = await world.person();
    const { body: started } = await ask({ scope: 'read admin' });
    await decide(started.user_code, person, true);
    expect(wordOf(await poll(started.device_code))).toEqual([400, 'access_denied']);
    expect(await world.ok('GET', '/profile/tokens', { as: person.as })).toEqual([]);
  });

  it('a sign-in from a terminal answers slow_down to early polls, and access_denied once it was denied (contract 10.7)', async () => {
    const { body: started } = await ask();
    expect(wordOf(await poll(started.device_code))).toEqual([400, 'authorization_pending']);
    expect(wordOf(await poll(started.device_code))).toEqual([400, 'slow_down']);
    expect((await decide(started.user_code, world.root, false)).status).toBe(204);
    expect(wordOf(await poll(started.device_code))).toEqual([400, 'access_denied']);
  });

  it('a sign-in from a terminal is denied when the account became Inactive before the poll (contract 10.7)', async () => {
    const person = await world.person();
    const { body: started } = await ask();
    await decide(started.user_code, person, true);
    await world.ok('PATCH', `/users/${person.id}`, { as: world.root.as, json: { status: 'Inactive' } });
    expect(wordOf(await poll(started.device_code))).toEqual([400, 'access_denied']);
  });

  it.each([
    ['no device code', { device_code: '' }, 'invalid_request'],
    ['an unknown device code', { device_code: 'A'.repeat(43) }, 'invalid_grant'],
    ['another client', { client_id: 'other' }, 'invalid_client'],
  ])('a poll with %s is refused (contract 10.7)', async (_, form, error) => {
    const { body: started } = await ask();
    expect(wordOf(await poll(started.device_code, form))).toEqual([400, error]);
  });

  it('cookies do not count below /svc/oauth, and keys do not approve (contract 10.7)', async () => {
    const { body: started } = await ask();
    const pair = await world.pair(world.root.as);
    for (const as of [pair.as, {}]) {
      const { status } = await decide(started.user_code, { as }, true);
      expect(status).toBe(as === pair.as ? 403 : 401);
    }
    const own = await post('token', { client_id: 'svc-cli', grant_type: GRANT }, { as: world.root.as });
    expect(wordOf(own)).toEqual([400, 'invalid_request']);
  });

  it.each([{}, { approve: 'true' }, { approve: null }, { approve: true, more: 1 }])(
    'a decision with the body %j is refused and decides nothing (contract 10.7)',
    async (json) => {
      const { body: started } = await ask();
      const answer = await world.api('POST', `/auth/device/${started.user_code}`, {
        as: world.root.as,
        json,
      });
      expect(wordOf(answer)).toEqual([400, 'bad_request']);
      expect((await look(started.user_code, world.root)).status).toBe(200);
    },
  );

  it('a sign-in from a terminal lets 20 codes of one address wait (contract 10.7)', async () => {
    const one = { 'x-forwarded-for': '198.51.100.1' };
    const answers = await Promise.all(Array.from({ length: 21 }, () => ask({}, one)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(wordOf)).toEqual([[429, 'temporarily_unavailable']]);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(590);
    expect((await ask({}, { 'x-forwarded-for': '198.51.100.2' })).status).toBe(200);
  });

  it('a sign-in from a terminal writes audit rows for decisions and refusals, without a code (contract 10.7)', async () => {
    const person = await world.person();
    const { body: started } = await ask({ client_name: 'audited' }, { 'x-forwarded-for': '203.0.113.8' });
    await look('BBBB-BBBB', person);
    await decide(started.user_code, person, true);
    const { body } = await poll(started.device_code);
    const { items } = await world.ok('GET', '/audit?limit=20', { as: world.root.as });
    const own = items.filter(({ actor }: { actor: string }) => actor === person.id);
    expect(own.map(({ event }: { event: string }) => event)).toEqual(
      expect.arrayContaining(['authn_terminal_approved', 'authn_terminal_fail', 'authn_token_created']),
    );
    expect(own.find(({ event }: { event: string }) => event === 'authn_terminal_approved').reason).toBe(
      'terminal audited at 203.0.113.8',
    );
    const text = JSON.stringify(items);
    for (const secret of [started.device_code, started.user_code, body.token])
      expect(text).not.toContain(secret);
  });

  it('the page is static and answers anyone (contract 1, 10.7)', async () => {
    const page = await call(world.url, 'GET', '/svc/device?user_code=WDJB-MJHT');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).not.toContain('WDJB');
  });
});
