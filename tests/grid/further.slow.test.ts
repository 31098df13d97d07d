import { SvcClient } from '@svc/client';
import { beforeAll, expect, it } from 'vitest';
import { CiIssuer } from '../support/ci-issuer.ts';
import { makeToken, type RunningServer, startFurther } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { create, createdBy, type Entrance, send, startEntrance } from './support/entrance.ts';
import { type FakeGrid, startFakeGrid } from './support/fake-grid.ts';

const SIGNED = /^Grid-\d+-session\.(?:[\w-]{22}|0)\.[\w-]{86}$/;
const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' };

let grid: FakeGrid;
let first: Entrance;
let further: RunningServer;
let ana: Person;
let bob: Person;
let key: { accessKey: string; token: string };

beforeAll(async () => {
  grid = await startFakeGrid();
  first = await startEntrance(grid.url, {
    env: { ...STRICT, SVC_ENTRANCES: 'true', SVC_PUBLIC_URL: 'https://lab.example' },
  });
  key = await makeToken(first.url, first.admin, { name: 'entrances', scopes: ['admin'] });
  further = await startFurther({
    env: {
      ...STRICT,
      SVC_UPSTREAM: grid.url,
      SVC_ENTRANCE_OF: first.url,
      SVC_ENTRANCE_ACCESS_KEY: key.accessKey,
      SVC_ENTRANCE_TOKEN: key.token,
    },
  });
  ana = await makePerson(first, first.admin, 'ana@example.test');
  bob = await makePerson(first, first.admin, 'bob@example.test');
});

const bearerOf = async ({ cookie }: { cookie: string }) => {
  const client = new SvcClient({ url: first.url, credential: { cookie } });
  return { authorization: `Bearer ${(await client.issueBearer({})).token}` };
};
const setUser = (id: string, json: object) =>
  first.api(`/users/${id}`, { method: 'PATCH', headers: { cookie: first.admin }, json });
const status = async (id: string, headers: Record<string, string>, at: RunningServer = further) =>
  (await send(`${at.url}/session/${id}/url`, { headers })).status;

it('a further entrance is ready when the first one has reported, and has no API of its own (contract 9)', async () => {
  await expect.poll(async () => (await send(`${further.url}/svc/api/health/ready`)).status).toBe(200);
  expect((await send(`${further.url}/svc/api/health`)).body).toEqual({ ok: true });
  expect(await send(`${further.url}/svc/api/users`)).toMatchObject({
    status: 503,
    body: { error: 'unavailable' },
  });
  expect((await upgrade(further.url, '/svc/api/events?ticket=x')).status).toBe(503);
});

it('one session is its owner’s at every entrance, by pair and bearer (specification 5.4, 5.7.3)', async () => {
  const { body, status: created } = await create(further.url, ana);
  expect(created, JSON.stringify(body)).toBe(200);
  const { sessionId: id, capabilities } = body.value;
  expect(id).toMatch(SIGNED);
  expect(capabilities.webSocketUrl).toBe(`ws://${new URL(further.url).host}/session/${id}/se/bidi`);
  for (const at of [first, further]) {
    expect(await status(id, ana.headers, at)).toBe(200);
    expect(await status(id, await bearerOf(ana), at)).toBe(200);
    expect(await status(id, await bearerOf({ cookie: first.admin }), at)).toBe(200);
    for (const headers of [bob.headers, await bearerOf(bob), {}])
      expect(await status(id, headers, at)).toBe(404);
  }
  expect(grid.reached.at(-1)?.url).toBe(`/session/${id.split('.')[0]}/url`);
  expect(await (await first.api(`/session/${id}`, { headers: ana.headers })).json()).toMatchObject({
    owner: { id: ana.userId },
    status: 'running',
  });
  const refused = await send(`${further.url}/session`, {
    method: 'POST',
    json: { capabilities: { alwaysMatch: { 'svc:options': { accessKey: ana.accessKey, token: 'x' } } } },
  });
  expect([refused.status, refused.body.value.error]).toEqual([400, 'invalid argument']);
});

it('a key pair in Authorization: Basic creates and drives sessions at every entrance (contract 15.1, 15.2)', async () => {
  const basicOf = ({ accessKey, token }: Person) => ({
    authorization: `Basic ${Buffer.from(`${accessKey}:${token}`).toString('base64')}`,
  });
  for (const at of [first, further]) {
    const json = { capabilities: { alwaysMatch: { platformName: 'Fake' } } };
    const created = await send(`${at.url}/session`, { method: 'POST', headers: basicOf(ana), json });
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    const id = created.body.value.sessionId;
    for (const by of [first, further]) {
      expect(await status(id, basicOf(ana), by)).toBe(200);
      expect(grid.reached.at(-1)?.headers).not.toHaveProperty('authorization');
      expect(await status(id, basicOf(bob), by)).toBe(404);
    }
  }
  expect(JSON.stringify(grid.reached)).not.toContain(ana.token);
});

it('an id that says something else, or that nobody signed, is unknown to everybody (contract 7)', async () => {
  const id = await createdBy(further.url, ana);
  const [gridId = '', owner = '', signature = ''] = id.split('.');
  const bobs = (await createdBy(further.url, bob)).split('.');
  const root = await bearerOf({ cookie: first.admin });
  for (const odd of [
    gridId,
    `${gridId}.${owner}`,
    `${gridId}.${bobs[1]}.${signature}`,
    `${gridId}.${bobs[1]}.${bobs[2]}`,
    `${bobs[0]}.${owner}.${signature}`,
    `${gridId}.0.${signature}`,
    `${gridId}.${owner}.${'A'.repeat(86)}`,
    `${gridId}.${owner}.${signature}.${owner}`,
    `x.${id}`,
    'nobody',
  ]) {
    for (const headers of [ana.headers, bob.headers, root])
      expect([odd, await status(odd, headers)]).toEqual([odd, 404]);
  }
});

it('a further entrance learns at once of a new account, a demotion, a revoked key and an end (spec 3 User, 3 Token, 5.3.2)', async () => {
  const id = await createdBy(further.url, ana);
  const eve = await makePerson(first, first.admin, 'eve@example.test', 'Super admin');
  const asEve = await bearerOf(eve);
  expect(await status(id, asEve)).toBe(200);
  const opened = await upgrade(further.url, `/session/${id}/se/bidi`, asEve);
  expect(opened.status).toBe(101);
  const ended = new Promise((code) => opened.socket?.once('close', code));
  expect((await setUser(eve.userId, { role: 'Member' })).status).toBe(200);
  expect(await ended).toBe(1008);
  expect(await status(id, asEve)).toBe(404);

  const carl = await makePerson(first, first.admin, 'carl@example.test');
  const his = await createdBy(further.url, carl);
  const pairSocket = await upgrade(further.url, `/session/${his}/se/bidi`, carl.headers);
  expect(pairSocket.status).toBe(101);
  const cut = new Promise((code) => pairSocket.socket?.once('close', code));
  expect(await status(his, carl.headers)).toBe(200);
  await first.api(`/profile/tokens/${carl.id}`, { method: 'DELETE', headers: { cookie: carl.cookie } });
  await expect.poll(() => status(his, carl.headers), { timeout: 5_000 }).toBe(404);
  expect(await cut).toBe(1008);
  const asCarl = await bearerOf(carl);
  expect(await status(his, asCarl)).toBe(200);
  await setUser(carl.userId, { status: 'Inactive' });
  await expect.poll(() => status(his, asCarl), { timeout: 5_000 }).toBe(404);
});

it('a session ended at a further entrance counts as ended, and not as lost (contract 2)', async () => {
  const id = await createdBy(further.url, ana);
  const gone = await send(`${further.url}/session/${id}`, { method: 'DELETE', headers: ana.headers });
  expect(gone.status).toBe(200);
  await expect
    .poll(async () => await (await first.api(`/session/${id}`, { headers: ana.headers })).json())
    .toMatchObject({ status: 'ended', failureCategory: null });
});

it('the grid’s own routes are for override admins here, too (contract 3.4)', async () => {
  expect((await send(`${further.url}/graphql`, { headers: ana.headers })).status).toBe(403);
  expect(
    (await send(`${further.url}/graphql`, { headers: await bearerOf({ cookie: first.admin }) })).status,
  ).toBe(200);
});

it('a bearer that its holder revokes at the first entrance ends at every entrance (contract 10.4)', async () => {
  const { body } = await create(further.url, ana);
  const id = body.value.sessionId;
  const bearer = await bearerOf(ana);
  expect(await status(id, bearer)).toBe(200);
  const answer = await fetch(`${first.url}/svc/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: bearer.authorization.slice('Bearer '.length) }),
  });
  expect(answer.status).toBe(200);
  await expect.poll(() => status(id, bearer)).toBe(404);
});

it('a job that trades its token at the first entrance drives phones at every one, until its rule is paused (contract 10.3)', async () => {
  const issuer = await CiIssuer.start();
  const headers = { cookie: first.admin };
  const claims = [{ claim: 'project_id', anyOf: ['22'] }];
  const json = { name: 'nightly', issuer: issuer.url, claims, scopes: ['read', 'sessions'] };
  const created = await first.api('/trust-rules', { method: 'POST', headers, json });
  const rule = (await created.json()) as { id: string };
  const assertion = await issuer.sign({ aud: 'https://lab.example', project_id: 22 });
  const exchange = (at: RunningServer) =>
    fetch(`${at.url}/svc/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    });
  // The token, sign-in and SCIM routes of the API need the database, so a further entrance does not have them, and no
  // token is used up there.
  for (const path of ['oauth/token', 'oidc/backchannel-logout', 'scim/v2/Users', 'api/auth/oidc/start'])
    expect((await send(`${further.url}/svc/${path}`)).body).toMatchObject({ error: 'unavailable' });
  expect((await exchange(further)).status).toBe(503);
  const tokens = (await (await exchange(first)).json()) as { access_token: string; session_token: string };
  await issuer.close();
  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  const options = { 'svc:options': { sessionToken: tokens.session_token } };
  const id = (await create(further.url, null, options)).body.value.sessionId;
  expect(id).toMatch(SIGNED);
  // A new rule reaches the further entrance a moment after it was created.
  for (const at of [first, further]) await expect.poll(() => status(id, bearer, at)).toBe(200);
  expect(await status(id, await bearerOf(bob))).toBe(404);
  const opened = await upgrade(further.url, `/session/${id}/se/bidi`, bearer);
  const ended = new Promise((code) => opened.socket?.once('close', code));
  const paused = await first.api(`/trust-rules/${rule.id}`, {
    method: 'PATCH',
    headers,
    json: { paused: true },
  });
  expect(paused.status).toBe(200);
  await expect.poll(() => status(id, bearer), { timeout: 5_000 }).toBe(404);
  expect(await ended).toBe(1008);
  expect((await create(further.url, null, options)).status).toBe(400);
});

it('an entrance without the first one continues with what it can verify, and answers 503 to the rest (contract 8.3)', async () => {
  const id = await createdBy(further.url, ana);
  const dora = await makePerson(first, first.admin, 'dora@example.test');
  const [hers, his] = [await bearerOf(ana), await bearerOf(bob)];
  const opened = await upgrade(further.url, `/session/${id}/se/bidi`, hers);
  await first.stop('SIGKILL');
  expect(await status(id, hers)).toBe(200);
  expect(await status(id, his)).toBe(404);
  expect(await status(id, dora.headers)).toBe(503);
  expect((await create(further.url, ana)).status).toBe(503);
  expect((await upgrade(further.url, `/session/${id}/se/cdp`, dora.headers)).status).toBe(503);
  opened.socket?.send('still');
  await new Promise((heard) => opened.socket?.once('message', heard));
  await close(opened.socket);
  const stopped = await further.stop();
  expect(stopped.code).toBe(0);
  expect(stopped.tookMs).toBeLessThan(5_000);
  for (const secret of [ana.token, bob.token, key.token]) expect(further.output()).not.toContain(secret);
});
