import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type WebSocket from 'ws';
import { startAppium } from '../support/appium.ts';
import { makeToken, request } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { bidi, close, upgrade } from '../support/web-socket.ts';

let lab: Awaited<ReturnType<typeof startAppium>>;
let admin: string;
let ana: Person;

beforeAll(async () => {
  lab = await startAppium({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } });
  admin = await superAdmin(lab);
  ana = await makePerson(lab, admin, 'ana@example.org');
});
afterAll(() => lab?.stop());

const MIB = 1024 * 1024;
const withoutSession = async () => (await upgrade(lab.url, '/bidi')).socket as WebSocket;

describe('the BiDi service without a session (specification 5.7.7, contract 7)', () => {
  it('the BiDi service without a session takes a message of 1 MiB and closes on a larger one, also in fragments (specification 5.7.7, contract 7)', async () => {
    const small = await withoutSession();
    expect(await bidi(small, 'x'.repeat(MIB - 100))).toMatchObject({ type: 'error' });
    await close(small);
    const large = await withoutSession();
    large.on('error', () => undefined);
    const closed = new Promise((code) => large.once('close', code));
    large.send('x'.repeat(MIB / 2), { fin: false });
    large.send('x'.repeat(MIB / 2 + 1), { fin: false });
    expect(await closed).toBe(1009);
  });

  it('a session’s own socket takes larger ones', async () => {
    const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
    const { socket } = await upgrade(lab.url, `/bidi/${id}`, ana.headers);
    const thing = 'x'.repeat(3 * MIB);
    expect(
      await bidi(socket as WebSocket, 'appium:fake.doSomeMath', { num1: 1, num2: 2, thing }),
    ).toBeDefined();
    await close(socket);
  });

  it('32 sockets of an address, and one more when one of them is closed', async () => {
    const sockets = await Promise.all(Array.from({ length: 32 }, withoutSession));
    const refused = await upgrade(lab.url, '/bidi');
    expect({ status: refused.status, body: refused.body }).toEqual({ status: 429, body: '' });
    await close(sockets.pop());
    let next = await upgrade(lab.url, '/bidi');
    while (next.socket === undefined) next = await upgrade(lab.url, '/bidi');
    await close(next.socket);
    for (const socket of sockets) await close(socket);
  });

  it('a message to the BiDi service without a session cannot add a line of its own to the log (specification 5.7.7, contract 7)', async () => {
    const socket = await withoutSession();
    const answered = new Promise((done) => socket.once('message', done));
    const id = 'x\n[svc] Session created {"owner":"forged"}\r[svc] Per-command auth is OFF';
    socket.send(JSON.stringify({ id, method: 'session.status', params: {} }));
    await answered;
    await close(socket);
    await lab.line(/BIDI message #x/);
    expect(lab.output()).not.toMatch(/^(?:[^\n[]*)\[svc\] Session created \{"owner":"forged"\}/m);
    expect(lab.output()).not.toContain('\r[svc]');
  });
});

describe('what drivers offer outside a session (contract 7)', () => {
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    request(`${lab.url}${path}`, { method, headers });

  it("a driver's route outside a session is for those with a valid credential of any kind that a command may carry (contract 7)", async () => {
    const refused = await ask('/fakedriverCliArgs', { 'x-request-id': 'outside' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('x-request-id')).toBe('outside');
    expect(await refused.json()).toMatchObject({
      value: { error: 'unknown error', message: expect.stringMatching(/^unauthenticated/), stacktrace: '' },
    });
    const bad = { authorization: 'Bearer a.b.c' };
    for (const headers of [bad, { cookie: ana.cookie }]) {
      expect((await ask('/fakedriverCliArgs', headers)).status).toBe(401);
    }
    const inDisguise = { Upgrade: 'websocket', Connection: 'Upgrade, close' };
    expect((await rawRequest(lab.url, '/fakedriverCliArgs', { headers: inDisguise })).status).not.toBe(200);
    const root = await makeToken(lab.url, admin);
    for (const headers of [ana.headers, root.headers]) {
      expect((await ask('/fakedriverCliArgs', headers)).status).toBe(200);
    }
  });

  it('Appium’s own status and preflights are for everybody', async () => {
    expect((await ask('/status')).status).toBe(200);
    expect((await ask('/status?x=1', {}, 'HEAD')).status).toBe(200);
    expect((await ask('/fakedriverCliArgs', {}, 'OPTIONS')).status).not.toBe(401);
  });
});

describe('a body of an unauthenticated client that Appium would parse (contract 7)', () => {
  const send = (method: string, target: string, body: string) =>
    rawRequest(lab.url, target, { method, headers: { 'Content-Type': 'application/json' }, body });

  it.each([
    ['GET', '/status'],
    ['PUT', '/session'],
    ['OPTIONS', '/nobody'],
    ['GET', '/appium/sessions'],
  ])('%s %s is answered as without a body, which is at most 512 KiB', async (method, target) => {
    const [bare, nested] = await Promise.all(
      ['', '['.repeat(MIB / 2)].map((body) => send(method, target, body)),
    );
    expect([nested?.status, nested?.body]).toEqual([bare?.status, bare?.body]);
    expect((await send(method, target, '['.repeat(MIB / 2 + 1))).status).toBe(413);
  });
});
