import { UNKNOWN_SESSION_BODY } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_PHONE, startAppium } from '../support/appium.ts';
import { makeToken, request } from '../support/lab.ts';
import { type RawResponse, rawRequest } from '../support/raw-http.ts';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';

type Headers = Readonly<Record<string, string>>;

const basic = (text: string): Headers => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const basicOf = ({ accessKey, token }: { accessKey: string; token: string }) =>
  basic(`${accessKey}:${token}`);

let lab: Awaited<ReturnType<typeof startAppium>>;
let ana: Person;
let bob: Person;
let root: Person['headers'];

beforeAll(async () => {
  lab = await startAppium({
    // Its route shows which credentials Appium, its drivers and its plugins could read.
    plugins: ['mirror', 'svc'],
    own: {
      mirror: `static async updateServer(app) {
        app.get('/mirror', (req, res) => res.json({ headers: req.headers, url: req.originalUrl }));
      }`,
    },
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true', SVC_LOG_LEVEL: 'debug' },
    args: ['--log-level', 'debug', '--allow-insecure', '*:session_discovery'],
  });
  const admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
  bob = await makePerson(lab, admin, 'bob@example.org');
  root = (await makeToken(lab.url, admin)).headers;
});
afterAll(() => lab?.stop());

const create = (headers: Headers, options?: object, target = '/session', others: object = {}) =>
  rawRequest(lab.url, target, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({
      capabilities: { alwaysMatch: { ...FAKE_PHONE, ...others, ...(options && { 'svc:options': options }) } },
    }),
  });
const ask = (target: string, headers: Headers, method = 'GET') =>
  rawRequest(lab.url, target, { method, headers });
const idOf = ({ body }: RawResponse): string => JSON.parse(body).value.sessionId;
const end = (id: string, who: Person) => ask(`/session/${id}`, basicOf(who), 'DELETE');
const errorOf = ({ status, body }: RawResponse) => `${status} ${JSON.parse(body).value.message}`;
const secretsOf = (who: Person) => [who.token, (basicOf(who).Authorization ?? '').slice('Basic '.length)];

describe('a client that sends only Authorization: Basic, against a lab that checks everything', () => {
  it('a client that sends only Authorization: Basic creates its session, drives it, lists it and ends it (contract 15.1, 15.2)', async () => {
    const created = await create(basicOf(ana));
    expect(created.status).toBe(200);
    const id = idOf(created);
    const record = await (await lab.api(`/sessions?search=${id}`, { headers: root })).json();
    expect(record).toMatchObject([{ id, owner: { id: ana.userId } }]);
    for (const [headers, status] of [
      [basicOf(ana), 200],
      [ana.headers, 200],
      [basicOf(bob), 404],
      [basic(`${bob.accessKey}:${ana.token}`), 404],
      [basic(ana.accessKey), 404],
      [basic(`${ana.accessKey}:`), 404],
      [basic(`${ana.accessKey}:${ana.token}`.repeat(50)), 404],
      [basic('svc_ü:ü'), 404],
      [{ Authorization: `${basicOf(ana).Authorization}!` }, 404],
      [{ ...basicOf(ana), 'x-svc-access-key': ana.accessKey }, 404],
      [{ ...basicOf(bob), ...ana.headers }, 200],
      [{ ...basicOf(ana), ...bob.headers }, 404],
    ] as const) {
      const { status: got, body } = await ask(`/session/${id}/timeouts`, headers);
      expect([headers, got]).toEqual([headers, status]);
      if (status === 404) expect(body).toBe(UNKNOWN_SESSION_BODY);
    }
    const listed = async (who: Person) =>
      JSON.parse((await ask('/appium/sessions', basicOf(who))).body).value;
    expect(await listed(ana)).toMatchObject([{ id }]);
    expect(await listed(bob)).toEqual([]);
    const { socket } = await upgrade(lab.url, `/bidi/${id}`, basicOf(ana));
    if (socket === undefined) throw new Error('the owner may not open it');
    expect(await bidi(socket, 'session.status')).toMatchObject({ result: { ready: true } });
    await close(socket);
    expect((await upgrade(lab.url, `/bidi/${id}`, basicOf(bob))).status).toBe(404);
    expect((await end(id, ana)).status).toBe(200);
  });

  it('a client that sends only Authorization: Basic is refused as if the pair were in svc:options, and svc:options decide alone (contract 15.2)', async () => {
    const none =
      /^400 session rejected: SVC_REQUIRE_SESSION_TOKEN is enabled and the session presented no valid/;
    const twice = `Basic x\r\nAuthorization: ${basicOf(ana).Authorization}`;
    for (const headers of [
      basic('somebody:else'),
      basic(`${ana.accessKey}:${bob.token}`),
      basic(ana.accessKey),
      { Authorization: `${basicOf(ana).Authorization}!` },
      { Authorization: twice },
      { Authorization: `${basicOf(ana).Authorization}\r\nAuthorization: Bearer a.b.c` },
      ana.headers,
    ]) {
      const refused = await create(headers);
      expect(errorOf(refused)).toMatch(none);
      expect(refused.headers.map(([name]) => name.toLowerCase())).not.toContain('www-authenticate');
    }
    expect(errorOf(await create(basicOf(ana), { accessKey: ana.accessKey, token: 'wrong' }))).toMatch(none);
    const { token } = (await (
      await lab.api('/profile/tokens', {
        method: 'POST',
        headers: { cookie: ana.cookie },
        json: { name: 'read only', scopes: ['read'] },
      })
    ).json()) as { token: string };
    expect(errorOf(await create(basic(`${ana.accessKey}:${token}`)))).toMatch(
      /^400 credentials are invalid, revoked, or lack the sessions scope/,
    );
    const id = idOf(await create(basicOf(ana), pairOf(bob)));
    expect((await end(id, ana)).status).toBe(404);
    expect((await end(id, bob)).status).toBe(200);
    const other = idOf(await create({ ...basicOf(ana), ...bob.headers }, { team: undefined }));
    expect((await end(other, ana)).status).toBe(200);
  });

  it('a lab hands the credentials of Authorization: Basic to no driver and no plugin, not even in an address (contract 15.1)', async () => {
    const address = `http://${ana.accessKey}:${ana.token}@${new URL(lab.url).host}`;
    const { body } = await ask(`${address}/mirror?x`, { ...basicOf(ana), 'x-other': 'o' });
    const seen = JSON.parse(body);
    expect(seen).toMatchObject({ url: '/mirror?x', headers: { 'x-other': 'o' } });
    expect(seen.headers).not.toHaveProperty('authorization');
    const foreign = basic('somebody:else');
    expect(JSON.parse((await ask('/mirror', { ...foreign, ...ana.headers })).body).headers).toMatchObject({
      authorization: foreign.Authorization,
    });
    expect((await ask('/mirror', foreign)).status).toBe(401);
    expect((await ask(`${address}/mirror`, {})).status).toBe(401);
  });

  it('a client that sends only Authorization: Basic finds nothing below /svc that knows its credentials, and no challenge anywhere (contract 15.1)', async () => {
    const address = `http://${ana.accessKey}:${ana.token}@${new URL(lab.url).host}`;
    const origin = new URL(lab.url).origin;
    for (const [target, method, status] of [
      ['/svc/api/auth/me', 'GET', 401],
      ['/svc/api/auth/token', 'POST', 403],
      ['/svc/mcp', 'POST', 401],
      ['/svc', 'GET', 200],
      ['/session/x/url', 'GET', 404],
      ['/x#', 'GET', 400],
      ['/nothing', 'GET', 404],
    ] as const) {
      const answer = await ask(`${address}${target}`, basicOf(ana), method);
      const names = answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
      expect(names).not.toMatch(/basic|svct?_/i);
      expect(answer.body).not.toMatch(/svct_/);
      expect([target, answer.status]).toEqual([target, status]);
    }
    const { status, body } = await rawRequest(lab.url, '/svc/api/auth/token', {
      method: 'POST',
      headers: { ...basicOf(ana), Origin: origin },
    });
    expect([status, JSON.parse(body).error]).toEqual([401, 'unauthenticated']);
  });

  it('a client that sends only Authorization: Basic leaves no trace of its secret in log, audit trail, records or explanations (contract 15.1)', async () => {
    const asked = { ...basicOf(ana), 'X-Request-Id': 'with-address' };
    const address = `http://${ana.accessKey}:${ana.token}@lab`;
    // Selenium for Python copies the address of the server into this capability.
    const copied = { 'se:remoteUrl': `${address}:4723` };
    const created = await create(asked, undefined, `${address}/session`, copied);
    expect(JSON.parse(created.body).value.capabilities).toMatchObject({ 'se:remoteUrl': 'http://lab:4723' });
    const id = idOf(created);
    await ask(`${address}/session/${id}/nothing`, { ...basicOf(bob), 'X-Request-Id': 'refused' });
    await upgrade(lab.url, `${address}/bidi/${id}`, basicOf(bob));
    await end(id, ana);
    await lab.line(/Request answered.*DELETE/);
    const read = async (path: string) => (await lab.api(path, { headers: root })).text();
    const explained = await read('/explain/refused');
    expect(JSON.parse(explained)).toMatchObject({
      path: `http://lab/session/${id}/nothing`,
      caller: bob.userId,
    });
    const texts = [
      lab.output(),
      explained,
      await read('/audit?limit=999'),
      await read(`/session/${id}/session_log`),
    ];
    for (const text of texts) {
      expect(text.length).toBeGreaterThan(20);
      for (const secret of [...secretsOf(ana), ...secretsOf(bob)]) expect(text).not.toContain(secret);
    }
  });
});

describe('a client that sends its credentials in svc:options alone', () => {
  it('a client with credentials in svc:options alone gets its session as before, and the log warns once per account and hour (contract 15.3)', async () => {
    const warnings = () => lab.output().match(/commands will be refused.*/g) ?? [];
    const before = warnings().length;
    const ids = [];
    for (const name of ['first', 'second']) {
      const created = await create({ 'X-Request-Id': `lone-${name}` }, pairOf(ana));
      expect(created.status).toBe(200);
      ids.push(idOf(created));
    }
    ids.push(idOf(await create({ ...ana.headers, 'X-Request-Id': 'with-pair' }, pairOf(ana))));
    ids.push(idOf(await create({ ...basicOf(ana), 'X-Request-Id': 'with-basic' }, pairOf(ana))));
    await create({}, { accessKey: ana.accessKey, token: 'wrong' });
    expect(warnings().slice(before)).toEqual([expect.stringContaining(ana.userId)]);
    for (const id of ids) await end(id, ana);
    const explain = (id: string) => request(`${lab.url}/svc/api/explain/${id}`, { headers: root });
    for (const name of ['first', 'second'])
      expect(await (await explain(`lone-${name}`)).json()).toMatchObject({
        method: 'POST',
        path: '/session',
        caller: ana.userId,
        status: 200,
        reason: expect.stringMatching(
          /commands will be refused.*http:\/\/<access key>:<token>@.*x-svc-access-key/,
        ),
      });
    for (const id of ['with-pair', 'with-basic']) expect((await explain(id)).status).toBe(404);
    const id = idOf(await create({}, pairOf(bob)));
    expect(warnings()).toHaveLength(before + 2);
    await end(id, bob);
  });
});
