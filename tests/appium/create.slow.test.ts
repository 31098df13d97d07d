import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, labInfo, makeToken, type RunningServer, request, startLab } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { endOf } from '../support/records.ts';
import {
  type Created,
  createSession,
  makePerson,
  type Options,
  type Person,
  pairOf,
  superAdmin,
} from '../support/sessions.ts';

const LACKS = 'credentials are invalid, revoked, or lack the sessions scope';

async function sessionTokenOf(lab: RunningServer, headers: Record<string, string>): Promise<string> {
  const json = { audience: 'svc-mcp' };
  const answer = await lab.api('/auth/token', { method: 'POST', headers, json });
  return ((await answer.json()) as { sessionToken: string }).sessionToken;
}

const end = (lab: RunningServer, id: string) => request(`${lab.url}/session/${id}`, { method: 'DELETE' });

/** @returns everything that the server wrote, to its output and its files */
function remains(lab: RunningServer): string[] {
  const files = readdirSync(lab.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return [lab.output(), ...files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))];
}

describe('without SVC_REQUIRE_SESSION_TOKEN', () => {
  let lab: RunningServer;
  let ana: Person;
  let sessionToken: string;

  beforeAll(async () => {
    lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'debug', SVC_LAB_DEVICES: '2' } });
    const admin = await superAdmin(lab);
    ana = await makePerson(lab, admin, 'ana@example.org');
    sessionToken = await sessionTokenOf(lab, { cookie: ana.cookie });
  });
  afterAll(() => lab?.stop());

  it.each<[string, () => Options, 'ana' | null]>([
    ['a pair', () => pairOf(ana), 'ana'],
    ['a session token', () => ({ sessionToken }), 'ana'],
    ['an invalid pair beside a session token', () => ({ ...pairOf(ana), token: 'x', sessionToken }), 'ana'],
    ['an invalid pair', () => ({ ...pairOf(ana), token: 'x' }), null],
    ['half a pair', () => ({ token: ana.token }), null],
    ['an invalid session token', () => ({ sessionToken: `${sessionToken}x` }), null],
    ['nothing', () => ({}), null],
  ])(
    'a create on a server that requires no session token succeeds with %s (spec 5.4.2, 5.4.4)',
    async (_name, options, owner) => {
      const created = await createSession(lab.url, options());
      const id = created.body.value.sessionId;
      expect(created.status).toBe(200);
      const expected =
        owner === null
          ? `Session created without valid credentials {"session":"${id}"`
          : `Session created {"session":"${id}","owner":"${ana.userId}"`;
      await lab.line(new RegExp(`\\[svc\\] Session created.*${id}`));
      const logged = lab
        .output()
        .split('\n')
        .filter((line) => line.includes(id) && line.includes('[svc] Session created'));
      expect(logged).toEqual([expect.stringContaining(`[svc] ${expected},"request":"`)]);
      await end(lab, id);
    },
  );

  it('a valid pair without the scope is refused all the same (spec 5.4.3)', async () => {
    const reader = await makeToken(lab.url, ana.cookie, { scopes: ['read'] });
    const { status, body } = await createSession(lab.url, { ...pairOf(reader), sessionToken });
    expect({ status, body }).toEqual({
      status: 400,
      body: { value: { error: 'invalid argument', message: LACKS, stacktrace: '' } },
    });
  });

  it('a team these credentials may not use', async () => {
    const { status, body } = await createSession(lab.url, { ...pairOf(ana), team: 'nobody' });
    expect({ status, error: body.value.error }).toEqual({ status: 400, error: 'invalid argument' });
  });

  it('driver, client and record see no namespace that held nothing but credentials (contract 6.2)', async () => {
    const pair = pairOf(ana);
    const namespaces = {
      'svc:options': pair,
      'lab:options': { ...pair, build: 'b' },
      'appium:svc:options': {},
    };
    const { body } = await createSession(lab.url, undefined, { capabilities: namespaces });
    const { sessionId: id, capabilities: echoed } = body.value;
    const driver = (await (
      await request(`${lab.url}/session/${id}/appium/capabilities`)
    ).json()) as Created['body'];
    const record = (await (await lab.api(`/session/${id}`, { headers: ana.headers })).json()) as Options;
    const optionsIn = (capabilities: unknown) =>
      Object.entries(capabilities as object).filter(([name]) => name.endsWith('options'));
    for (const capabilities of [echoed, driver.value.capabilities, record.capabilities])
      expect(optionsIn(capabilities)).toEqual([
        ['lab:options', { build: 'b' }],
        ['svc:options', {}],
      ]);
    await end(lab, id);
  });

  it('phones: each to one session, the named one or none', async () => {
    const named = { capabilities: { 'appium:udid': 'virtual-2' } };
    const first = await createSession(lab.url, pairOf(ana), named);
    expect(first.body.value).toMatchObject({ capabilities: { udid: 'virtual-2' } });
    const again = await createSession(lab.url, pairOf(ana), named);
    expect({ status: again.status, ...again.body.value }).toMatchObject({
      status: 500,
      error: 'session not created',
      message: 'the phone is busy',
      stacktrace: '',
    });
    const second = await createSession(lab.url, pairOf(ana));
    expect(second.body.value).toMatchObject({ capabilities: { udid: 'virtual-1' } });
    expect((await createSession(lab.url, pairOf(ana))).body.value.message).toBe(
      'every phone that fits is busy',
    );
    await end(lab, first.body.value.sessionId);
    await end(lab, second.body.value.sessionId);
    const failed = await createSession(lab.url, pairOf(ana), {
      capabilities: { 'appium:app': '/nowhere.xml' },
    });
    expect(failed.status).toBe(500);
    const free = await createSession(lab.url, pairOf(ana), named);
    expect(free.status).toBe(200);
    await end(lab, free.body.value.sessionId);
  });

  it('an idle session ends, is filed as a time-out and frees its phone', async () => {
    const capabilities = { 'appium:newCommandTimeout': 0.05, 'appium:udid': 'virtual-1' };
    const idle = await createSession(lab.url, pairOf(ana), { capabilities });
    const ended = await endOf(lab, ana.headers, idle.body.value.sessionId);
    expect(ended).toMatchObject({ failureCategory: 'Timeout' });
    const next = await createSession(lab.url, pairOf(ana), { capabilities: { 'appium:udid': 'virtual-1' } });
    expect(next.status).toBe(200);
    await end(lab, next.body.value.sessionId);
  });

  it('one caller never sees the answer of another by the same idempotency key', async () => {
    const bob = await makePerson(lab, await superAdmin(lab), 'bob@example.org');
    // The phone is busy when the create is repeated.
    const onFirst = { ...options(pairOf(ana)), 'appium:udid': 'virtual-1' };
    const first = await createOnce(onFirst, 'same');
    expect(await createOnce(onFirst, 'same')).toBe(first);
    const other = await createOnce(options(pairOf(bob)), 'same');
    expect(other).not.toBe(first);
    await end(lab, other);
    const stranger = await createOnce(options({}), 'same');
    expect([first, other]).not.toContain(stranger);
    await end(lab, stranger);
    await end(lab, first);
  });

  const options = (own: Options) => ({ 'svc:options': own });

  /**
   * Uses a new connection, because Appium writes a replayed response directly to the socket, so the connection cannot
   * be used again.
   */
  async function createOnce(extra: Options, key: string): Promise<string> {
    const { capabilities } = await labInfo(lab.url);
    const body = JSON.stringify({ capabilities: { alwaysMatch: { ...capabilities, ...extra } } });
    const headers = { 'content-type': 'application/json', 'x-idempotency-key': key };
    return new Promise((done, failed) => {
      const sent = httpRequest(`${lab.url}/session`, { method: 'POST', agent: false, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () => {
          sent.destroy();
          done(JSON.parse(text).value.sessionId);
        });
      });
      sent.once('error', failed).end(body);
    });
  }

  describe('secrets in a body, however it is sent (specification 5.4.6, 5.5, contract 6.3)', () => {
    const SECRET = 'canary-of-a-credential';
    const carries = { accessKey: SECRET, token: SECRET, sessionToken: SECRET, leaseToken: SECRET };
    const fields = {
      'svc:options': carries,
      'lab:options': carries,
      'df:options': { token: SECRET, accesskey: SECRET },
    };
    const bodyOf = async () => {
      const { capabilities } = await labInfo(lab.url);
      return JSON.stringify({
        capabilities: {
          alwaysMatch: { ...capabilities, 'lab:options': carries },
          firstMatch: [fields, { 'svc:options': carries }],
        },
        desiredCapabilities: fields,
        requiredCapabilities: fields,
      });
    };
    const JSON_TYPE = { 'Content-Type': 'application/json' };
    const form = `capabilities[alwaysMatch][svc:options][token]=${SECRET}`;
    const rows: [
      string,
      number,
      (json: string) => {
        headers: Record<string, string>;
        body: Buffer | string;
        target?: string;
        method?: string;
      },
    ][] = [
      ['plain', 200, (body) => ({ headers: JSON_TYPE, body })],
      ['no content type', 200, (body) => ({ headers: {}, body })],
      ['charset', 200, (body) => ({ headers: { 'Content-Type': 'application/json;charset=UTF-8' }, body })],
      ['byte order mark', 200, (body) => ({ headers: JSON_TYPE, body: `\ufeff${body}` })],
      [
        'duplicate keys',
        200,
        (body) => ({
          headers: JSON_TYPE,
          body: `{"capabilities":{"alwaysMatch":{"svc:options":{"token":"${SECRET}","token":"${SECRET}"}}},${body.slice(1)}`,
        }),
      ],
      [
        'chunked',
        200,
        (body) => ({
          headers: { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' },
          body: `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
        }),
      ],
      ['sensitive', 200, (body) => ({ headers: { ...JSON_TYPE, 'X-Auto-Is-Sensitive': 'true' }, body })],
      [
        'utf-16',
        415,
        (body) => ({
          headers: { 'Content-Type': 'application/json; charset=utf-16le' },
          body: Buffer.from(body, 'utf16le'),
        }),
      ],
      [
        'urlencoded',
        415,
        () => ({ headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: form }),
      ],
      ['text', 415, (body) => ({ headers: { 'Content-Type': 'text/plain' }, body })],
      [
        'gzip',
        415,
        (body) => ({ headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, body: gzipSync(body) }),
      ],
      [
        'deflate',
        415,
        (body) => ({ headers: { ...JSON_TYPE, 'Content-Encoding': 'deflate' }, body: deflateSync(body) }),
      ],
      [
        'br',
        415,
        (body) => ({ headers: { ...JSON_TYPE, 'Content-Encoding': 'br' }, body: brotliCompressSync(body) }),
      ],
      ['malformed', 400, (body) => ({ headers: JSON_TYPE, body: body.slice(0, -9) })],
      [
        'cut inside a value',
        400,
        (body) => ({ headers: JSON_TYPE, body: body.slice(0, body.indexOf(SECRET) + 9) }),
      ],
      ['no JSON object', 400, () => ({ headers: JSON_TYPE, body: `["${SECRET}"]` })],
      [
        'no UTF-8',
        400,
        (body) => ({ headers: JSON_TYPE, body: Buffer.concat([Buffer.from(body), Buffer.from([0xff])]) }),
      ],
      [
        'too large',
        413,
        (body) => ({
          headers: JSON_TYPE,
          body: `${body.slice(0, -1)},"x":"${'y'.repeat(4 * 1024 * 1024)}"}`,
        }),
      ],
      ['wrong base path', 404, (body) => ({ headers: JSON_TYPE, body, target: '/wd/hub/session' })],
      ['doubled slash', 404, (body) => ({ headers: JSON_TYPE, body, target: '//session' })],
      ['trailing slash, letter case', 200, (body) => ({ headers: JSON_TYPE, body, target: '/SESSION/?x=1' })],
      ['absolute form', 200, (body) => ({ headers: JSON_TYPE, body, target: 'http://evil/session' })],
      ['another method', 404, (body) => ({ headers: JSON_TYPE, body, method: 'PUT' })],
      [
        'an override',
        404,
        (body) => ({ headers: { ...JSON_TYPE, 'X-HTTP-Method-Override': 'DELETE' }, body }),
      ],
    ];
    it.each(rows)('%s: %i', async (_name, expected, make) => {
      const { headers, body, target = '/session', method = 'POST' } = make(await bodyOf());
      const answer = await rawRequest(lab.url, target, { method, headers, body });
      expect(answer.status).toBe(expected);
      expect(answer.body).not.toContain(SECRET);
      for (const place of remains(lab)) expect(place.includes(SECRET)).toBe(false);
      if (expected === 200) await end(lab, JSON.parse(answer.body).value.sessionId);
    });
  });

  it('the sensitive header in our spelling has the effect of Appium’s own (spec 5.5.1, contract 1)', async () => {
    const headers = { 'x-auto-is-sensitive': 'true', 'x-request-id': 'marked' };
    const { body } = await createSession(lab.url, pairOf(ana), {
      headers,
      capabilities: { 'appium:note': 'unseen' },
    });
    await end(lab, body.value.sessionId);
    expect(lab.output()).toContain('--> POST /session **SECURE**');
  });

  it('no secret came to rest (spec 5.4.6)', () => {
    for (const place of remains(lab)) {
      expect(place.includes(ana.token)).toBe(false);
      expect(place.includes(sessionToken)).toBe(false);
    }
  });
});

describe('with SVC_REQUIRE_SESSION_TOKEN', () => {
  let lab: RunningServer;
  let ana: Person;

  beforeAll(async () => {
    lab = await startLab({ env: { SVC_REQUIRE_SESSION_TOKEN: 'YES' } });
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  });
  afterAll(() => lab?.stop());

  const NONE =
    /^session rejected: SVC_REQUIRE_SESSION_TOKEN is enabled and the session presented no valid credentials\. \S/;
  const INVALID = /^session rejected: svc:options\.sessionToken is invalid or expired\. \S/;
  it.each<[string, Options, RegExp]>([
    ['nothing', {}, NONE],
    ['an invalid pair', { accessKey: 'svc_x', token: 'svct_x' }, NONE],
    ['an invalid session token', { sessionToken: 'x.y.z' }, INVALID],
  ])('%s', async (_name, options, message) => {
    const { status, body } = await createSession(lab.url, options);
    expect(status).toBe(400);
    expect(body.value.error).toBe('invalid argument');
    expect(body.value.message).toMatch(message);
  });

  it('credentials only in df:options count as none', async () => {
    const { body } = await createSession(lab.url, undefined, { capabilities: { 'df:options': pairOf(ana) } });
    expect(body.value.message).toMatch(NONE);
  });

  it('a valid pair', async () => {
    const { status, body } = await createSession(lab.url, pairOf(ana));
    expect(status).toBe(200);
    await end(lab, body.value.sessionId);
  });
});

describe('when credentials cannot be checked (specification 5.4.5, 5.7.5)', () => {
  it('no session is created, no phone is given out, no command is let through', async () => {
    const dataDir = freshDataDir();
    const before = await startLab({ dataDir });
    const sessionToken = await sessionTokenOf(before, { cookie: await superAdmin(before) });
    await before.stop();
    writeFileSync(join(dataDir, 'signing-key.pem'), 'no key');
    const lab = await startLab({ dataDir, env: { SVC_REQUIRE_COMMAND_AUTH: 'on', SVC_LAB_DEVICES: '1' } });
    try {
      const refused = await createSession(lab.url, { sessionToken });
      expect({ status: refused.status, error: refused.body.value.error }).toEqual({
        status: 503,
        error: 'session not created',
      });
      const pair = await makeToken(lab.url, await superAdmin(lab));
      const { status, body } = await createSession(lab.url, pairOf(pair));
      expect(status).toBe(200);
      const url = `${lab.url}/session/${body.value.sessionId}`;
      const unchecked = await request(`${url}/timeouts`, { headers: { authorization: 'Bearer a.b.c' } });
      expect(unchecked.status).toBe(503);
      expect(await unchecked.text()).toContain('access to the session could not be verified');
      expect((await request(url, { method: 'DELETE', headers: pair.headers })).status).toBe(200);
    } finally {
      await lab.stop();
    }
  });
});

describe('sign-in off (specification 5.12)', () => {
  it('nothing is checked, sessions have no owner, credentials still leave the capabilities (spec 5.4.6)', async () => {
    const env = {
      SVC_AUTH_DISABLED: 'true',
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_REQUIRE_SESSION_TOKEN: 'true',
    };
    const lab = await startLab({ env });
    try {
      const { status, body } = await createSession(lab.url, { accessKey: 'x', token: 'canary-token' });
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('canary-token');
      expect((await request(`${lab.url}/session/${body.value.sessionId}/timeouts`)).status).toBe(200);
      expect((await end(lab, body.value.sessionId)).status).toBe(200);
      expect(lab.output()).not.toContain('Per-command auth is ON');
      expect(lab.output()).not.toContain('Session created without valid credentials');
    } finally {
      await lab.stop();
    }
  });
});

it('SVC_MAX_SESSIONS counts running sessions (specification 8.2)', async () => {
  const lab = await startLab({ env: { SVC_MAX_SESSIONS: '1' } });
  try {
    const first = await createSession(lab.url, {});
    const second = await createSession(lab.url, {});
    expect({ status: second.status, error: second.body.value.error }).toEqual({
      status: 500,
      error: 'session not created',
    });
    await end(lab, first.body.value.sessionId);
    expect((await createSession(lab.url, {})).status).toBe(200);
  } finally {
    await lab.stop();
  }
});
