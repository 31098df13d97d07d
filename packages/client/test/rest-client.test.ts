import { describe, expect, test, vi } from 'vitest';
import { lease, SvcClient, SvcError } from '../src/index.ts';

const PAIR = { accessKey: 'svc_k', token: 'svct_secret' };

interface Seen {
  readonly url: string;
  readonly init: RequestInit & { headers: Record<string, string> };
}

function service(...answers: (Response | Error)[]) {
  const seen: Seen[] = [];
  const answering = (async (url: string, init: Seen['init']) => {
    seen.push({ url, init });
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer left');
    return answer;
  }) as unknown as typeof fetch;
  return { seen, fetch: answering };
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

async function failure(asking: Promise<unknown>): Promise<SvcError> {
  const error = await asking.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(SvcError);
  return error;
}

describe('SvcClient', () => {
  test('SvcClient asks with the pair and follows no redirect with it (spec 5.1)', async () => {
    const { seen, fetch } = service(json({ token: 't', expiresIn: 3600, audience: 'svc-mcp', scopes: [] }));
    const client = new SvcClient({ url: 'http://lab:1', credential: PAIR, fetch });
    expect(await client.issueBearer({ audience: 'svc-mcp' })).toMatchObject({ token: 't', expiresIn: 3600 });
    expect(seen[0]?.url).toBe('http://lab:1/svc/api/auth/token');
    expect(seen[0]?.init).toMatchObject({
      method: 'POST',
      redirect: 'manual',
      body: '{"audience":"svc-mcp"}',
    });
    expect(seen[0]?.init.headers).toMatchObject({
      'x-svc-access-key': 'svc_k',
      'x-svc-token': 'svct_secret',
      'content-type': 'application/json',
    });
  });

  test('a lease that waits for a phone has that much more time (contract 13)', async () => {
    const limit = vi.spyOn(AbortSignal, 'timeout');
    const made = { leaseId: 'l', leaseToken: 'svcl_x', udid: 'p', expiresAt: 'later' };
    const { seen, fetch } = service(json(made, 201), json(made, 201));
    const client = new SvcClient({ url: 'http://lab:1', credential: PAIR, timeoutMs: 1_000, fetch });
    await lease(client, { udid: 'p', minutes: 5, queueSeconds: 60 });
    await lease(client, { udid: 'p', minutes: 5 });
    expect(limit.mock.calls).toEqual([[61_000], [1_000]]);
    expect(seen[0]?.init.body).toBe('{"udid":"p","minutes":5,"queueSeconds":60}');
    limit.mockRestore();
  });

  test('uploads an app as a form, for as long as it takes (contract 2, apps)', async () => {
    const app = { id: 'a', name: 'a.apk', size: 1, sha256: 'x', createdAt: 'now' };
    const { seen, fetch } = service(json(app, 201), json({ error: 'app_library_full' }, 409));
    const client = new SvcClient({ url: 'http://lab:1', credential: PAIR, fetch });
    expect(await client.uploadApp(new Blob(['x']), 'a.apk')).toEqual(app);
    const { headers, body, signal } = seen[0]?.init ?? {};
    expect(headers).not.toHaveProperty('content-type');
    expect(signal).toBeUndefined();
    expect([...(body as FormData).keys()]).toEqual(['file']);
    expect((body as FormData).get('file')).toMatchObject({ name: 'a.apk', size: 1 });
    const { signal: stop } = new AbortController();
    const refused = await failure(client.uploadApp(new Blob(['x']), 'a.apk', { signal: stop }));
    expect(refused).toMatchObject({ status: 409, code: 'app_library_full' });
    expect(seen[1]?.init.signal).toBe(stop);
  });

  test('SvcClient signs in with an Origin, unlogged, and goes on as that person (spec 5.5.2, 5.6.1)', async () => {
    const { seen, fetch } = service(
      new Response(null, { status: 204, headers: { 'set-cookie': 'svc_dashboard_session=c1; HttpOnly' } }),
      json({ email: 'a@b' }),
      new Response(null, { status: 204 }),
      json({ error: 'unauthenticated' }, 401),
    );
    const client = new SvcClient({ url: 'http://lab:1/', fetch });
    await client.signIn('a@b', 'password');
    await client.me();
    await client.signOut();
    await failure(client.me());
    expect(seen[0]?.init.headers).toMatchObject({ origin: 'http://lab:1', 'x-auto-is-sensitive': 'true' });
    expect(seen[1]?.init.headers).toEqual({ cookie: 'svc_dashboard_session=c1' });
    expect(seen[2]?.init.headers).toMatchObject({ origin: 'http://lab:1' });
    expect(seen[3]?.init.headers).toEqual({});
  });

  test('SvcClient calls any route: parameters in their place, the query behind, the body as JSON (contract 2)', async () => {
    const { seen, fetch } = service(json([]), json({ id: '1' }), new Response(null, { status: 204 }));
    const client = new SvcClient({ url: 'http://lab:1', credential: { cookie: 'c=1' }, fetch });
    await client.call('sessionLog', { params: { id: 'a b' }, query: { after: '5' } });
    await client.call('changeUser', { params: { id: '1' }, body: { name: 'Ana' } });
    expect(await client.call('removeTeam', { params: { id: '1' } })).toBeUndefined();
    expect(
      seen.map(({ url, init }) => [init.method, url.slice('http://lab:1/svc/api'.length), init.body]),
    ).toEqual([
      ['GET', '/session/a%20b/session_log?after=5', undefined],
      ['PATCH', '/users/1', '{"name":"Ana"}'],
      ['DELETE', '/teams/1', undefined],
    ]);
    expect(seen[0]?.init.headers).toEqual({ cookie: 'c=1' });
  });

  test.for(['', '.', '..'])('%j as a parameter leads nowhere else (contract 2)', async (id) => {
    const { seen, fetch } = service(json({}));
    const client = new SvcClient({ url: 'http://lab:1', fetch });
    await expect(client.call('removeTeam', { params: { id } })).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  test('a refusal is one error with status, code, request id and the named fields (contract 1)', async () => {
    const body = { error: 'insufficient_scope', message: 'not enough', required: 'admin' };
    const { fetch } = service(json(body, 403, { 'x-request-id': 'r-1' }));
    const error = await failure(new SvcClient({ url: 'http://lab:1', credential: PAIR, fetch }).me());
    expect(error).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      requestId: 'r-1',
      details: { required: 'admin' },
      message: 'insufficient_scope: not enough',
    });
  });

  test.for([
    ['another program', new Response('<html>', { status: 502 }), 502],
    ['a redirect', new Response(null, { status: 302, headers: { location: 'http://evil' } }), 302],
    ['JSON of another shape', json(['error'], 500), 500],
    ['no JSON', new Response('ok'), 200],
  ] as const)('an answer of %s is an unexpected one (contract 1)', async ([, answer, status]) => {
    const { fetch } = service(answer);
    const error = await failure(new SvcClient({ url: 'http://lab:1', credential: PAIR, fetch }).me());
    expect(error).toMatchObject({ status, code: 'unexpected_answer' });
  });

  test('no answer is status 0, and no error tells what was sent (contract 1)', async () => {
    const { fetch } = service(new TypeError('fetch failed'));
    const error = await failure(new SvcClient({ url: 'http://lab:1', credential: PAIR, fetch }).me());
    expect(error).toMatchObject({ status: 0, code: 'unreachable', requestId: null });
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain('secret');
  });

  test('Profile tokens: made, listed, revoked by an id that cannot leave its place (contract 2)', async () => {
    const { seen, fetch } = service(
      json({ id: '1', token: 'svct_new' }, 201),
      json([]),
      new Response(null, { status: 204 }),
      json({ version: '1' }),
    );
    const client = new SvcClient({ url: 'http://lab:1', credential: { bearer: 'b' }, fetch });
    expect(await client.createToken({ name: 'ci' })).toMatchObject({ token: 'svct_new' });
    expect(await client.tokens()).toEqual([]);
    await client.revokeToken('../users/1');
    await client.capabilities();
    expect(seen.map(({ url, init }) => `${init.method} ${url.slice('http://lab:1/svc/api'.length)}`)).toEqual(
      [
        'POST /profile/tokens',
        'GET /profile/tokens',
        'DELETE /profile/tokens/..%2Fusers%2F1',
        'GET /capabilities',
      ],
    );
    expect(seen[0]?.init.headers).toMatchObject({ authorization: 'Bearer b' });
  });

  test.for(['lab:4723', 'ftp://lab', 'http://lab/wd/hub', 'http://u:p@lab', 'http://lab/?a', ''])(
    '%j is no address of a service (contract 1)',
    (url) => {
      expect(() => new SvcClient({ url })).toThrow(TypeError);
    },
  );
});

describe('lease', () => {
  const made = { leaseId: 'l1', leaseToken: 'svcl_x', udid: 'u1', expiresAt: '2030-01-01T00:00:00.000Z' };

  test('SvcClient.lease gives the capabilities to merge beside the credentials, and ends once (contract 2, leases)', async () => {
    const gone = { error: 'not_found', message: 'no such thing' };
    const { seen, fetch } = service(json(made, 201), new Response(null, { status: 204 }), json(gone, 404));
    const held = await lease(new SvcClient({ url: 'http://lab:1', credential: PAIR, fetch }), {
      platform: 'Android',
      minutes: 30,
    });
    expect(JSON.parse(String(seen[0]?.init.body))).toEqual({ platform: 'Android', minutes: 30 });
    const wanted = { alwaysMatch: { platformName: 'Android', 'svc:options': PAIR }, firstMatch: [{}] };
    expect(held.capabilities(wanted)).toEqual({
      alwaysMatch: {
        platformName: 'Android',
        'svc:options': { ...PAIR, leaseId: 'l1', leaseToken: 'svcl_x' },
      },
      firstMatch: [{}],
    });
    await held.end();
    await held.end();
    expect(seen.slice(1).map(({ url, init }) => `${init.method} ${url}`)).toEqual([
      'DELETE http://lab:1/svc/api/leases/l1',
      'DELETE http://lab:1/svc/api/leases/l1',
    ]);
  });
});
