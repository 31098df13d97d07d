import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { makeToken, request } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { makePerson, type Person, superAdmin } from '../support/sessions.ts';
import { close, upgrade } from '../support/web-socket.ts';

/**
 * Has the routes and sockets of `@appium/storage-plugin`, as its README describes them, because the package is not in
 * every registry.
 */
const STORAGE = `
  static async updateServer(app, server) {
    const { createHash } = require('node:crypto');
    const { WebSocketServer } = require('ws');
    const files = new Map();
    for (const prefix of ['/appium/storage', '/storage']) {
      app.get(prefix + '/list', (req, res) => res.json({ value: [...files.keys()] }));
      app.post(prefix + '/reset', (req, res) => { files.clear(); res.json({ value: null }); });
      app.post(prefix + '/delete', (req, res) => res.json({ value: files.delete(req.body.name) }));
      app.post(prefix + '/add', async (req, res) => {
        const { name, sha1 } = req.body;
        const [stream, events] = ['stream', 'events'].map((end) => prefix + '/add/' + sha1 + '/' + end);
        const [from, to] = [new WebSocketServer({ noServer: true }), new WebSocketServer({ noServer: true })];
        from.on('connection', (socket) => socket.on('message', (data) => {
          if (createHash('sha1').update(data).digest('hex') !== sha1) return;
          files.set(name, data);
          for (const client of to.clients) client.send(JSON.stringify({ value: { success: true, name } }));
        }));
        await server.addWebSocketHandler(stream, from);
        await server.addWebSocketHandler(events, to);
        res.json({ value: { ws: { stream, events }, ttlMs: 300000 } });
      });
    }
  }
`;

let lab: Awaited<ReturnType<typeof startAppium>>;
let ana: Person;
let bob: Person;
let admin: Person['headers'];
let readOnly: Person['headers'];

beforeAll(async () => {
  lab = await startAppium({
    plugins: ['storage', 'svc'],
    own: { storage: STORAGE },
    env: { SVC_REQUIRE_COMMAND_AUTH: 'true' },
  });
  const root = await superAdmin(lab);
  ana = await makePerson(lab, root, 'ana@example.org');
  bob = await makePerson(lab, root, 'bob@example.org');
  admin = (await makeToken(lab.url, root)).headers;
  const made = await lab.api('/profile/tokens', {
    method: 'POST',
    headers: { cookie: ana.cookie },
    json: { name: 'read only', scopes: ['read'] },
  });
  const { token } = (await made.json()) as { token: string };
  readOnly = { 'x-svc-access-key': ana.accessKey, 'x-svc-token': token };
});
afterAll(() => lab?.stop());

const post = (path: string, headers: Record<string, string>, json: object = {}) =>
  request(`${lab.url}${path}`, { method: 'POST', headers, json });
const sha1Of = (text: string) => createHash('sha1').update(text).digest('hex');
const listed = async (headers: Record<string, string>) =>
  (await (await request(`${lab.url}/appium/storage/list`, { headers })).json()) as { value: unknown };

it('a file of the storage plugin is uploaded by its account, listed by all, and deleted by admins only', async () => {
  const content = 'an app';
  const sha1 = sha1Of(content);
  const basic = Buffer.from(`${ana.accessKey}:${ana.token}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const asked = await post('/appium/storage/add', headers, { name: 'app.apk', sha1 });
  expect(asked.status).toBe(200);
  const { value } = (await asked.json()) as { value: { ws: { stream: string; events: string } } };
  expect((await upgrade(lab.url, value.ws.stream, bob.headers)).status).toBe(404);
  expect((await upgrade(lab.url, value.ws.stream)).status).toBe(404);
  expect((await upgrade(lab.url, value.ws.stream, readOnly)).status).toBe(404);
  const events = (await upgrade(lab.url, value.ws.events, ana.headers)).socket;
  const stream = (await upgrade(lab.url, value.ws.stream, headers)).socket;
  const stored = new Promise((done) => events?.once('message', (data) => done(JSON.parse(String(data)))));
  stream?.send(content);
  expect(await stored).toEqual({ value: { success: true, name: 'app.apk' } });
  await close(stream);
  await close(events);

  expect(await listed(bob.headers)).toEqual({ value: ['app.apk'] });
  expect(await listed(readOnly)).toEqual({ value: ['app.apk'] });
  for (const path of [
    '/appium/storage/add',
    '/storage/add',
    '//storage/ADD/',
    `http://lab/appium/storage/add`,
  ]) {
    const overwritten = await rawRequest(lab.url, path, {
      method: 'POST',
      headers: { ...bob.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'APP.apk', sha1: sha1Of('another') }),
    });
    expect([path, overwritten.status]).toEqual([path, 409]);
    expect(JSON.parse(overwritten.body)).toEqual({
      value: {
        error: 'invalid argument',
        message: 'another account uploaded a file of this name',
        stacktrace: '',
      },
    });
  }
  expect((await post('/appium/storage/add', readOnly, { name: 'b', sha1 })).status).toBe(403);
  for (const path of ['/appium/storage/delete', '/storage/delete', '/appium/storage/reset', '/storage/reset'])
    expect([path, (await post(path, ana.headers, { name: 'app.apk' })).status]).toEqual([path, 403]);
  expect((await post('/appium/storage/delete', {}, { name: 'app.apk' })).status).toBe(401);
  expect((await post('/appium/storage/delete', { cookie: ana.cookie }, { name: 'app.apk' })).status).toBe(
    401,
  );
  expect(await listed(ana.headers)).toEqual({ value: ['app.apk'] });
  expect(await (await post('/appium/storage/delete', admin, { name: 'app.apk' })).json()).toEqual({
    value: true,
  });
  expect((await post('/appium/storage/add', bob.headers, { name: 'app.apk', sha1 })).status).toBe(200);
  expect((await post('/storage/reset', admin)).status).toBe(200);
  expect((await post('/appium/storage/add', ana.headers, { name: 'app.apk', sha1 })).status).toBe(200);
});
