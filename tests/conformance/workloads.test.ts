import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CiIssuer, type SignedClaims } from '../support/ci-issuer.ts';
import { call, type HttpResponse } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const LAB = 'https://lab.example';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const DAY = 24 * 60 * 60;

/** Claims of a GitHub Actions job, as GitHub documents them. */
const JOB: SignedClaims = {
  aud: LAB,
  sub: 'repo:octo-org/octo-repo:ref:refs/heads/main',
  repository: 'octo-org/octo-repo',
  repository_id: '74',
  repository_owner_id: '65',
  ref: 'refs/heads/main',
  run_number: '812',
  event_name: 'push',
};
const PINNED = [
  { claim: 'repository_id', anyOf: ['74'] },
  { claim: 'repository_owner_id', anyOf: ['65'] },
];

describe.each(targets)('trusted workloads on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let issuer: CiIssuer;
  let calls = 0;
  const seconds = () => Math.floor(Date.now() / 1000);

  beforeAll(async () => {
    world = await World.start(start, { SVC_PUBLIC_URL: LAB });
    admin = await world.person('Admin');
  });
  beforeEach(async () => {
    issuer = await CiIssuer.start();
    return () => issuer.close();
  });
  afterAll(() => world.server.stop());

  const create = async (json: object = {}, as: Credentials = admin.as) => {
    const rule = { name: 'CI', issuer: issuer.url, claims: PINNED, scopes: ['read', 'sessions'] };
    return (await world.ok('POST', '/trust-rules', { as, json: { ...rule, ...json } })) as { id: string };
  };
  const post = (form: Record<string, string>): Promise<HttpResponse> => {
    calls += 1;
    return call(world.url, 'POST', '/svc/oauth/token', {
      body: new URLSearchParams(form).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        // Use a different network for every request, because refused attempts are counted by network.
        'x-forwarded-for': `198.18.${calls >> 8}.${calls & 255}`,
      },
    });
  };
  const exchange = (token: string, more: Record<string, string> = {}) =>
    post({ grant_type: EXCHANGE, subject_token: token, subject_token_type: JWT, ...more });
  const bearerOf = ({ body }: HttpResponse): Credentials => ({
    authorization: `Bearer ${body.access_token}`,
  });
  const refused = (answer: HttpResponse) => {
    expect([answer.status, answer.text]).toEqual([
      400,
      '{"error":"invalid_grant","error_description":"The token was not accepted."}',
    ]);
  };
  const me = async (as: Credentials) => (await world.api('GET', '/auth/me', { as })).status;

  it('a job exchanges its token for a bearer and a session token of the rule (contract 10.3)', async () => {
    const { id } = await create();
    const answer = await exchange(await issuer.sign(JOB));
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read sessions',
      session_token: expect.any(String),
    });
    expect(await world.ok('GET', '/auth/me', { as: bearerOf(answer) })).toMatchObject({
      id: admin.id,
      kind: 'bearer',
      scopes: ['read', 'sessions'],
      via: { rule: id, ruleName: 'CI', subject: JOB.sub },
    });
    const rules = await world.ok('GET', '/trust-rules', { as: admin.as });
    const run = { at: expect.any(String), subject: JOB.sub, run: 'octo-org/octo-repo@main, run 812' };
    expect(rules[0]).toMatchObject({ id, audience: LAB, lastUsedAt: run.at, runs: [run] });
    expect(await world.ok('GET', '/auth/me', { as: admin.as })).not.toHaveProperty('via');
  });

  it('the grants jwt-bearer and token-exchange with an id_token are the same (contract 10.3)', async () => {
    await create({ scopes: ['read'], maxMinutes: 720 });
    const type = 'urn:ietf:params:oauth:token-type:id_token';
    const assertion = {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await issuer.sign(JOB),
    };
    for (const answer of [
      await exchange(await issuer.sign(JOB), { subject_token_type: type }),
      await post(assertion),
    ]) {
      expect(answer.body).toEqual({
        access_token: expect.any(String),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 720 * 60,
        scope: 'read',
      });
    }
  });

  it.each([
    [{ subject_token: '' }, 'invalid_request'],
    [{ subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
    [{ requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, 'invalid_request'],
    [{ actor_token: 'a' }, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
  ])('a request that cannot be served: %j is %s (contract 10.3)', async (change, error) => {
    const answer = await exchange('a.b.c', change);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  it.each(['RS256', 'ES256', 'PS256', 'EdDSA'])('%s is accepted (contract 10.3)', async (alg) => {
    await create();
    await issuer.rotate(alg);
    expect((await exchange(await issuer.sign(JOB))).status).toBe(200);
  });

  it.each(['RS512', 'ES384', 'PS384', 'RS384'])('%s is refused (contract 10.3)', async (alg) => {
    await create();
    await issuer.rotate(alg);
    refused(await exchange(await issuer.sign(JOB)));
    expect(issuer.asked).toEqual([]);
  });

  const sub = (text: string) => ({ sub: text });
  it.each<[string, SignedClaims]>([
    ['the subject that GitHub signed before July 2026', sub('repo:octo-org/octo-repo:ref:refs/heads/main')],
    ['the subject that GitHub signs now', sub('repo:octo-org@65/octo-repo@74:ref:refs/heads/main')],
    [
      'a renamed repository',
      { ...sub('repo:octo-org/new-name:ref:refs/heads/main'), repository: 'octo-org/new-name' },
    ],
    ['an audience in a list', { aud: [LAB] }],
    ['ids as numbers', { repository_id: 74, repository_owner_id: 65 }],
    ['a list that contains the id', { repository_id: ['73', '74'] }],
    ['no time of issue', { iat: undefined, nbf: undefined }],
    ['an expiry in 24 hours', { exp: seconds() + DAY - 60 }],
  ])('accepted: %s (contract 10.3)', async (_what, change) => {
    await create();
    expect((await exchange(await issuer.sign({ ...JOB, ...change }))).status).toBe(200);
  });

  it.each<[string, SignedClaims]>([
    [
      'a squatted name with a hyphen',
      {
        ...sub('repo:octo-org-65/octo-repo-74:ref:refs/heads/main'),
        repository_id: '99',
        repository_owner_id: '98',
      },
    ],
    ['a recycled name with another id', { repository_id: '1074', repository_owner_id: '1065' }],
    ['the right repository of another owner', { repository_owner_id: '98' }],
    ['a missing id', { repository_id: undefined }],
    ['an id that is null', { repository_id: null }],
    ['an id in an object', { repository_id: { 74: '74' } }],
    ['a list in a list', { repository_id: [['74']] }],
    ['an empty list', { repository_id: [] }],
    ['an id with a blank', { repository_id: '74 ' }],
    ['another audience', { aud: 'https://other.example' }],
    ['an audience with a slash', { aud: `${LAB}/` }],
    ['a second audience', { aud: [LAB, 'https://other.example'] }],
    ['no audience', { aud: undefined }],
    ['an expired token', { exp: seconds() - 1 }],
    ['no expiry', { exp: undefined }],
    ['an expiry beyond 24 hours', { exp: seconds() + DAY + 60 }],
    ['an issue in the future', { iat: seconds() + 120 }],
    ['a start in the future', { nbf: seconds() + 120 }],
    ['a time of issue that is a text', { iat: 'now' }],
    ['an issuer that no rule names', { iss: 'https://other.example' }],
    ['an issuer that has a slash more', { iss: 'SLASH' }],
  ])('refused, and nothing is fetched: %s (contract 10.3)', async (_what, change) => {
    await create();
    const iss = change.iss === 'SLASH' ? `${issuer.url}/` : (change.iss ?? issuer.url);
    refused(await exchange(await issuer.sign({ ...JOB, ...change, iss })));
    expect(issuer.asked).toEqual([]);
  });

  it('refused alike: every other fault of a token (contract 10.3)', async () => {
    await create();
    const good = await issuer.sign(JOB);
    const [header, payload, signature] = good.split('.') as [string, string, string];
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const other = await CiIssuer.start();
    const faults = [
      'nonsense',
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`,
      `${encoded({ alg: 'none' })}.${payload}.${signature}`,
      `${encoded({ alg: 'HS256', kid: 'first' })}.${payload}.${signature}`,
      `${header}.${encoded({ ...JOB, iss: issuer.url, exp: seconds() + 60 })}.${signature}`,
      await other.sign({ ...JOB, iss: issuer.url }),
      await issuer.sign(JOB, { kid: 'unknown' }),
      await issuer.sign(JOB, { typ: 'at+jwt' }),
      await issuer.sign(JOB, { typ: 'logout+jwt' }),
      await issuer.sign({ ...JOB, padding: 'a'.repeat(20_000) }),
    ];
    await other.close();
    for (const token of faults) refused(await exchange(token));
    expect((await exchange(good)).status).toBe(200);
  });

  it('a token is used once by its jti or, without one, by what was signed (contract 10.3)', async () => {
    await create();
    const [first, again] = [
      await issuer.sign({ ...JOB, jti: 'one' }),
      await issuer.sign({ ...JOB, jti: 'one', run_number: '813' }),
    ];
    const answers = await Promise.all([first, first, again, first].map((token) => exchange(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    const bare = await issuer.sign({ ...JOB, jti: undefined });
    expect((await exchange(bare)).status).toBe(200);
    refused(await exchange(bare));
    expect((await exchange(await issuer.sign({ ...JOB, jti: undefined, run_number: '814' }))).status).toBe(
      200,
    );
  });

  it('scope narrows the scopes of the rule, and nothing is used up by a wrong one (contract 10.3)', async () => {
    await create({ scopes: ['admin'] });
    const token = await issuer.sign(JOB);
    for (const scope of ['everything', 'read everything']) {
      const answer = await exchange(token, { scope });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_scope']);
    }
    const narrow = await exchange(token, { scope: 'sessions read' });
    expect(narrow.body).toMatchObject({ scope: 'read sessions', session_token: expect.any(String) });
    const whole = await exchange(await issuer.sign(JOB));
    expect(whole.body).toMatchObject({ scope: 'admin', session_token: expect.any(String) });
    expect((await exchange(await issuer.sign(JOB), { scope: 'read' })).body).not.toHaveProperty(
      'session_token',
    );
    await create({ scopes: ['read'], claims: [{ claim: 'repository_id', anyOf: ['75'] }] });
    const beyond = await exchange(await issuer.sign({ ...JOB, repository_id: '75' }), { scope: 'sessions' });
    expect(beyond.body.error).toBe('invalid_scope');
  });

  it('deleting or pausing a rule ends what came from it with the next request (contract 10.3)', async () => {
    for (const end of ['pause', 'delete'] as const) {
      const { id } = await create({ scopes: ['admin'] }, world.root.as);
      const bearer = bearerOf(await exchange(await issuer.sign(JOB)));
      const second = await world.bearer(bearer);
      const pair = await world.pair(bearer, { scopes: ['admin'] });
      const key = await world.apiKey(pair.as, { scopes: ['admin'] });
      const opened = await world.api('POST', '/auth/dashboard-session', { as: key.as });
      const cookie = { cookie: String(opened.headers['set-cookie']?.[0]?.split(';', 1)[0]) };
      const child = await create({ name: 'child', claims: [{ claim: 'ref', anyOf: ['x'] }] }, key.as);
      const all = [bearer, second, pair.as, key.as, cookie];
      for (const as of all) expect(await me(as)).toBe(200);
      if (end === 'pause') {
        await world.ok('PATCH', `/trust-rules/${id}`, { as: world.root.as, json: { paused: true } });
        refused(await exchange(await issuer.sign(JOB)));
        refused(await exchange(await issuer.sign({ ...JOB, ref: 'x' })));
        for (const as of all) expect(await me(as)).toBe(401);
        await world.ok('PATCH', `/trust-rules/${id}`, { as: world.root.as, json: { paused: false } });
        for (const as of all) expect(await me(as)).toBe(200);
      }
      await world.api('DELETE', `/trust-rules/${id}`, { as: world.root.as });
      for (const as of all) expect(await me(as)).toBe(401);
      refused(await exchange(await issuer.sign(JOB)));
      expectError(
        await world.api('PATCH', `/trust-rules/${child.id}`, { as: world.root.as, json: {} }),
        'not_found',
      );
    }
  });

  it('revoking a bearer of a rule ends what was minted with it (contract 10.3)', async () => {
    await create({ scopes: ['admin'] });
    const answer = await exchange(await issuer.sign(JOB));
    const second = await world.bearer(bearerOf(answer));
    const third = await world.bearer(second);
    expect(await me(third)).toBe(200);
    const revoked = await call(world.url, 'POST', '/svc/oauth/revoke', {
      body: new URLSearchParams({ token: answer.body.access_token }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(revoked.status).toBe(200);
    for (const as of [bearerOf(answer), second, third]) expect(await me(as)).toBe(401);
    const token = new URLSearchParams({ token: answer.body.session_token }).toString();
    const asked = await call(world.url, 'POST', '/svc/oauth/introspect', {
      as: (await world.apiKey(admin.as, { scopes: ['admin'] })).as,
      body: token,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(asked.body).toEqual({ active: false });
  });

  it('a token has the rights that its owner has now (contract 10.3)', async () => {
    const owner = await world.person('Admin');
    await create({ scopes: ['admin', 'read'] }, owner.as);
    const bearer = bearerOf(await exchange(await issuer.sign(JOB)));
    expect((await world.api('GET', '/users', { as: bearer })).status).toBe(200);
    const set = (json: object) => world.ok('PATCH', `/users/${owner.id}`, { as: world.root.as, json });
    await set({ role: 'Member' });
    expectError(await world.api('GET', '/users', { as: bearer }), 'insufficient_role');
    expect((await exchange(await issuer.sign(JOB))).body.scope).toBe('read');
    await set({ status: 'Inactive' });
    expect(await me(bearer)).toBe(401);
    refused(await exchange(await issuer.sign(JOB)));
  });

  it('an issuer that cannot be reached or is not itself is 503, and is asked again after 5 seconds (contract 10.3)', async () => {
    await create();
    const { url } = issuer;
    issuer.answer = (path, response) => {
      if (path !== '/.well-known/openid-configuration') return false;
      response.end(JSON.stringify({ issuer: url, jwks_uri: 'http://127.0.0.2:1/jwks' }));
      return true;
    };
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await exchange(await issuer.sign(JOB));
      expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
      expect(answer.headers['retry-after']).toBe('5');
    }
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration']);
  });

  it('pasted keys are used instead of asking the issuer (contract 10.3)', async () => {
    const iss = 'https://gitlab.internal';
    await create({ issuer: iss, jwks: { keys: issuer.published } });
    expect((await exchange(await issuer.sign({ ...JOB, iss }))).status).toBe(200);
    await issuer.rotate();
    refused(await exchange(await issuer.sign({ ...JOB, iss })));
    expect(issuer.asked).toEqual([]);
  });

  it('keys are read again for an unknown key, at most once a minute (contract 10.3)', async () => {
    await create();
    expect((await exchange(await issuer.sign(JOB))).status).toBe(200);
    await issuer.rotate();
    expect((await exchange(await issuer.sign(JOB))).status).toBe(200);
    const asked = issuer.asked.length;
    for (let number = 0; number < 20; number++)
      refused(await exchange(await issuer.sign(JOB, { kid: `unknown ${number}` })));
    expect(issuer.asked).toHaveLength(asked);
  });

  it('claims with dots and slashes are plain names (contract 10.3)', async () => {
    const claim = 'oidc.circleci.com/project-id';
    await create({ claims: [{ claim, anyOf: ['76184244'] }] });
    refused(await exchange(await issuer.sign({ ...JOB, oidc: { 'circleci.com/project-id': '76184244' } })));
    expect((await exchange(await issuer.sign({ ...JOB, [claim]: '76184244' }))).status).toBe(200);
  });

  it('the test box says what each rule makes of a token, and uses nothing up (contract 10.3)', async () => {
    const { id } = await create();
    const other = await create({ claims: [{ claim: 'repository_id', anyOf: ['75'] }] });
    const token = await issuer.sign(JOB);
    const attempt = () => world.ok('POST', '/trust-rules/try', { as: admin.as, json: { token } });
    for (let time = 0; time < 2; time++) {
      const { claims, matches, suggestion } = await attempt();
      expect(claims).toMatchObject(JOB);
      expect(matches).toContainEqual({ ruleId: id, matches: true, why: null });
      const why = expect.stringContaining('repository_id');
      expect(matches).toContainEqual({ ruleId: other.id, matches: false, why });
      expect(suggestion).toEqual({
        name: 'octo-org/octo-repo@main',
        issuer: issuer.url,
        audience: LAB,
        claims: PINNED,
      });
    }
    expect((await exchange(token)).status).toBe(200);
    const used = (await attempt()).matches.find(({ ruleId }: { ruleId: string }) => ruleId === id);
    expect(used).toEqual({ ruleId: id, matches: false, why: 'the token was used before' });
    expectError(
      await world.api('POST', '/trust-rules/try', { as: admin.as, json: { token: 'nonsense' } }),
      'bad_request',
    );
  });

  it('refusals and exchanges are audited with the precise reason (contract 10.3)', async () => {
    const { id } = await create();
    await exchange(await issuer.sign({ ...JOB, repository_id: '1' }));
    await exchange(await issuer.sign(JOB));
    const { items } = await world.ok('GET', '/audit?limit=50', { as: admin.as });
    const reason = (text: string) => expect.objectContaining({ reason: expect.stringContaining(text) });
    expect(items).toContainEqual(reason(`${id}: the claim repository_id has none of the values of the rule`));
    expect(items).toContainEqual(reason(`trust rule ${id} for ${JOB.sub}`));
  });
});
