import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Caller } from '@svc/auth-core';
import { SvcClient } from '@svc/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';
import { makeToken, makeUser, request, signIn } from '../support/lab.ts';

/** Open connections are checked every 14 s even if nothing has changed. */
const BEFORE_NEXT_CHECK_MS = 10_000;
const FROM = { address: '127.0.0.1', peer: '127.0.0.1', requestId: null };

describe('the app library (contract 2 /apps)', () => {
  let running: RunningApp;
  let url: string;
  let folder: string;
  let admin: string;
  let member: string;
  let client: SvcClient;

  beforeAll(async () => {
    running = await openApp({ SVC_APP_MAX_BYTES: '4000000', SVC_APPS_MAX_BYTES: '9000000' });
    url = await running.app.listen({ port: 0, host: '127.0.0.1' });
    folder = join(running.services.config.dataDir, 'apps');
    admin = await signIn(url);
    client = new SvcClient({ url, credential: { cookie: admin } });
    member = (await makeUser(url, admin, { email: 'member@lab.test' })).cookie;
  });
  afterAll(() => running.close());

  const api = (path: string, init: Parameters<typeof request>[1] = {}) =>
    request(`${url}/svc/api${path}`, init);
  const as = (cookie: string) => ({ headers: { cookie } });
  const upload = (content: string | Uint8Array, name = 'a.apk') =>
    client.uploadApp(new Blob([content]), name);
  const remove = (id: string) => client.call('deleteApp', { params: { id } });
  const ticketFor = async (id: string, cookie = admin) => {
    const { services } = running;
    const caller = (await services.authenticator.authenticate(
      { headers: {}, cookie: cookie.split('=')[1] },
      FROM,
    )) as Caller;
    return (await services.tickets.issue(caller, { audience: 'svc-app-download', resource: id })).ticket;
  };
  const download = (id: string, ticket?: string, init: RequestInit = {}) =>
    fetch(`${url}/svc/api/apps/${id}/download${ticket === undefined ? '' : `?ticket=${ticket}`}`, init);

  /** Starts an upload whose bytes the test sends itself. */
  function slowUpload(cookie: string, length: number) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="slow.apk"\r\n\r\n';
    const end = '\r\n--b--\r\n';
    socket.write(
      `POST /svc/api/apps HTTP/1.1\r\nHost: ${new URL(url).host}\r\nOrigin: ${url}\r\nCookie: ${cookie}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nConnection: close\r\n` +
        `Content-Length: ${start.length + length + end.length}\r\n\r\n${start}`,
    );
    let text = '';
    const answer = new Promise<string>((done) => {
      socket
        .on('data', (data) => (text += data))
        .on('error', () => undefined)
        .once('close', () => done(text));
    });
    return { socket, answer, finish: (content: string) => socket.write(content + end) };
  }
  const until = async (met: () => boolean) => {
    while (!met()) await new Promise((later) => setTimeout(later, 5));
  };
  const unfinished = () => readdirSync(folder).filter((name) => name.endsWith('.part'));

  it('the app library takes an app in, lists it, gives it out byte for byte, and removes it, with a row of the trail each (contract 2 /apps)', async () => {
    const content = Buffer.alloc(3_000_000, 'svc');
    const app = await upload(content, '../../my "app" é.apk');
    expect(app).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'my %22app%22 é.apk',
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await (await api('/apps', as(member))).json()).toEqual([app]);
    const answer = await download(app.id, undefined, as(member));
    expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), content)).toBe(0);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="my _22app_22 _.apk"; filename*=UTF-8''my%20%2522app%2522%20%C3%A9.apk`,
      etag: `"${app.sha256}"`,
      'cache-control': 'no-store',
    });
    await remove(app.id);
    expect((await download(app.id, undefined, as(member))).status).toBe(404);
    await expect(remove(app.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    expect(readdirSync(folder)).toEqual([]);
    const { items } = await client.call('auditTrail', { query: { limit: '5' } });
    const rows = items.filter(({ target }) => target === app.id).map(({ event }) => event);
    expect(rows).toEqual(['app_deleted', 'app_uploaded']);
  });

  it('the app library is added to and removed from by Admins alone (contract 3.2)', async () => {
    const body = new FormData();
    body.append('file', new Blob(['x']), 'x');
    const refused = await api('/apps', { method: 'POST', ...as(member), body });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: 'insufficient_scope', required: 'admin' });
    const { id } = await upload('x');
    expect((await api(`/apps/${id}`, { method: 'DELETE', ...as(member) })).status).toBe(403);
    expect((await api('/apps', { method: 'POST', body })).status).toBe(401);
    expect((await api('/apps')).status).toBe(401);
    await remove(id);
  });

  it('one of 50 downloads at once gets through on one ticket (specification 5.8.2)', async () => {
    const { id } = await upload('content');
    const ticket = await ticketFor(id, member);
    const answers = await Promise.all(Array.from({ length: 50 }, () => download(id, ticket)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(49).fill(401)]);
    const refused = answers.find(({ status }) => status === 401);
    expect(await refused?.json()).toEqual({ error: 'invalid ticket' });
    await remove(id);
  });

  it('a ticket is for its app, and spent by nothing but its content (specification 5.8.2)', async () => {
    const { id, sha256 } = await upload('content');
    const other = await upload('other');
    const ticket = await ticketFor(id);
    expect((await download(other.id, ticket)).status).toBe(401);
    expect((await download('nothing', ticket)).status).toBe(401);
    const head = await download(id, ticket, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '7']);
    const same = await download(id, ticket, { headers: { 'if-none-match': `"${sha256}"` } });
    expect([same.status, await same.text()]).toEqual([304, '']);
    expect(await (await download(id, ticket)).text()).toBe('content');
    for (const method of ['GET', 'HEAD']) expect((await download(id, ticket, { method })).status).toBe(401);
    for (const bad of ['', 'x', `${ticket}x`]) expect((await download(id, bad)).status, bad).toBe(401);
    // A ticket is checked alone, without falling back to another credential (specification 5.1.1).
    expect((await download(id, 'x', as(admin))).status).toBe(401);
    await Promise.all([remove(id), remove(other.id)]);
  });

  it('a ticket is asked about again: its credential and its account (contract 2)', async () => {
    const { id } = await upload('content');
    const leaving = await makeUser(url, admin, { email: 'leaving@lab.test' });
    const signedOut = await ticketFor(id, leaving.cookie);
    await api('/auth/logout', { method: 'POST', ...as(leaving.cookie) });
    expect((await download(id, signedOut)).status).toBe(401);
    const again = await ticketFor(id, await signIn(url, leaving.email, leaving.password));
    await client.call('changeUser', { params: { id: leaving.id }, body: { status: 'Inactive' } });
    expect((await download(id, again)).status).toBe(401);
    await remove(id);
  });

  it('a download that runs goes on when its app is deleted', async () => {
    const content = Buffer.alloc(4_000_000, 'x');
    const { id } = await upload(content);
    const answer = await download(id, undefined, as(admin));
    await remove(id);
    expect(readdirSync(folder)).toEqual([]);
    expect((await answer.arrayBuffer()).byteLength).toBe(content.length);
  });

  it('two uploads at once are two apps, and one that breaks off leaves nothing', async () => {
    const [one, two] = await Promise.all([
      upload(Buffer.alloc(1_000_000, '1')),
      upload(Buffer.alloc(900_000, '2')),
    ]);
    const broken = slowUpload(admin, 1_000);
    broken.socket.write('half');
    await until(() => unfinished().length === 1);
    broken.socket.destroy();
    await until(() => unfinished().length === 0);
    expect(readdirSync(folder).sort()).toEqual([one.id, two.id].sort());
    await Promise.all([remove(one.id), remove(two.id)]);
  });

  it('an uploader whose credential or role ends is cut off, and nothing stays', async () => {
    const boss = await makeUser(url, admin, { email: 'boss@lab.test', role: 'Admin' });
    const key = await makeToken(url, admin, { name: 'ci', scopes: ['admin'] });
    const demoted = slowUpload(boss.cookie, 5);
    const revoked = slowUpload(`x=1\r\nX-Svc-Access-Key: ${key.accessKey}\r\nX-Svc-Token: ${key.token}`, 5);
    for (const { socket } of [demoted, revoked]) socket.write('ha');
    await until(() => unfinished().length === 2);
    await client.call('changeUser', { params: { id: boss.id }, body: { role: 'Member' } });
    await client.revokeToken(key.id);
    const began = performance.now();
    for (const { answer } of [demoted, revoked]) expect(await answer).toMatch(/^HTTP\/1\.1 40[13] /);
    expect(performance.now() - began).toBeLessThan(BEFORE_NEXT_CHECK_MS);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('the app library has bounds: of an app, of all apps, of uploads at once (contract 2 /apps)', async () => {
    const large = Buffer.alloc(4_000_001);
    await expect(upload(large)).rejects.toMatchObject({ status: 413, code: 'body_too_large' });
    const kept = [await upload(large.subarray(1)), await upload(large.subarray(1))];
    await expect(upload(large.subarray(0, 2_000_000))).rejects.toMatchObject({
      status: 409,
      code: 'app_library_full',
    });
    const running = Array.from({ length: 4 }, () => slowUpload(admin, 4));
    for (const { socket } of running) socket.write('do');
    await until(() => unfinished().length === 4);
    await expect(upload('one more')).rejects.toMatchObject({ status: 429, code: 'too_many_uploads' });
    for (const { finish } of running) finish('ne');
    for (const { answer } of running) expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
    const apps = await client.call('listApps');
    expect(apps.map(({ name }) => name)).toEqual([...Array(4).fill('slow.apk'), 'a.apk', 'a.apk']);
    expect(apps.slice(4).map(({ id }) => id)).toEqual(kept.map(({ id }) => id).reverse());
    for (const { id } of apps) await remove(id);
  });

  it('the app library takes multipart bodies alone, not compressed (contract 1)', async () => {
    const send = (headers: Record<string, string>, body?: string) =>
      api('/apps', {
        method: 'POST',
        headers: { cookie: admin, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    expect((await send({ 'content-type': 'application/json' }, '{}')).status).toBe(415);
    expect((await send({ 'content-type': 'multipart/form-data-x; boundary=b' }, '--b--')).status).toBe(415);
    expect(
      (await send({ 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' }, 'x'))
        .status,
    ).toBe(415);
    expect((await send({})).status).toBe(400);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('with sign-in off (specification 5.12)', () => {
  it('the library is open, and downloads need no ticket', async () => {
    const running = await openApp({ SVC_AUTH_DISABLED: 'true' });
    const url = await running.app.listen({ port: 0, host: '127.0.0.1' });
    const { id } = await new SvcClient({ url }).uploadApp(new Blob(['free']), 'a.apk');
    for (const query of ['', '?ticket=x'])
      expect(await (await fetch(`${url}/svc/api/apps/${id}/download${query}`)).text()).toBe('free');
    await running.close();
  });
});
