import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, request, startLab } from '../support/lab.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createSession, superAdmin } from '../support/sessions.ts';

const ALLOWED = { SVC_WEBHOOK_ALLOW: '127.0.0.1' };
const PATH_SECRET = 'T0KEN-in-the-path-91f2';

let lab: RunningServer;
let cookie: string;
const receivers: Receiver[] = [];

const receiver: typeof startReceiver = async (...options) => {
  const started = await startReceiver(...options);
  receivers.push(started);
  return started;
};
const api = async (method: string, path: string, json?: unknown) => {
  const answer = await lab.api(path, {
    method,
    headers: { cookie },
    ...(json === undefined ? {} : { json }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
};
const addWebhook = async (url: string, events = ['session_failed'], more = {}) => {
  const { status, body } = await api('POST', '/webhook', { url, events, ...more });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as { id: string; secret: string };
};

/**
 * Creates a session that reports that it failed, and ends it.
 * @returns its id
 */
async function failedSession(reason: string): Promise<string> {
  const { body } = await createSession(lab.url, undefined);
  const id = body.value.sessionId;
  const script = { script: 'svc: setSessionStatus', args: [{ status: 'failed', reason }] };
  await request(`${lab.url}/session/${id}/execute/sync`, { method: 'POST', json: script });
  await request(`${lab.url}/session/${id}`, { method: 'DELETE' });
  return id;
}

beforeAll(async () => {
  lab = await startLab({ env: ALLOWED });
  cookie = await superAdmin(lab);
});
afterAll(async () => {
  await lab?.stop();
  await Promise.all(receivers.map((each) => each.close()));
});

describe('deliveries of the lab', () => {
  it('a session that failed is told of, signed after Standard Webhooks (specification 6)', async () => {
    const hooks = await receiver();
    const { id, secret } = await addWebhook(`${hooks.url}/${PATH_SECRET}?key=${PATH_SECRET}`);
    const sessionId = await failedSession('total is wrong');
    await hooks.until((received) => received.length > 0);
    const [delivery] = hooks.received;
    expect(delivery?.path).toBe(`/${PATH_SECRET}?key=${PATH_SECRET}`);
    expect(new Webhook(secret).verify(delivery?.body ?? '', delivery?.headers as never)).toEqual({
      event: 'session_failed',
      payload: {
        sessionId,
        sessionName: null,
        failureReason: 'total is wrong',
        udid: 'virtual-1',
        deviceName: 'Virtual phone 1',
        platform: 'Fake',
        osVersion: '1.0',
        startTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
        endTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      },
    });
    expect(() => new Webhook(secret).verify(`${delivery?.body} `, delivery?.headers as never)).toThrow();
    const listed = async () =>
      (await api('GET', '/webhook')).body.find((each: { id: string }) => each.id === id);
    await expect.poll(async () => (await listed()).pending).toBe(0);
    expect((await listed()).lastDelivery).toMatchObject({ status: 204, error: null });

    // Neither the address nor the secret is stored or logged in clear text, by Appium or by svc (specification 5.5.3).
    const files = readdirSync(lab.dataDir).filter((name) => name.startsWith('svc.db'));
    const kept = files.map((name) => readFileSync(join(lab.dataDir, name), 'latin1')).join();
    for (const text of [kept, lab.output()]) {
      expect(text).not.toContain(PATH_SECRET);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(6));
    }
    expect((await api('DELETE', `/webhook/${id}`)).status).toBe(204);
  });

  it('a test goes through the same checks, by id or by address (contract 2 /webhook/test)', async () => {
    const hooks = await receiver();
    const { id, secret } = await addWebhook(`${hooks.url}/saved`);
    expect((await api('POST', '/webhook/test', { id })).body).toEqual({
      delivered: true,
      status: 204,
      error: null,
    });
    const [delivery] = hooks.received;
    expect(new Webhook(secret).verify(delivery?.body ?? '', delivery?.headers as never)).toEqual({
      event: 'test',
      payload: { message: expect.any(String), sentAt: expect.any(String) },
    });
    const elsewhere = await receiver((_delivery, response) =>
      response.writeHead(307, { location: `${hooks.url}/moved` }).end(),
    );
    const test = async (url: string) => (await api('POST', '/webhook/test', { url })).body;
    expect(await test(elsewhere.url)).toEqual({ delivered: false, status: 307, error: null });
    expect(hooks.received).toHaveLength(1);
    expect(await test('http://[::1]:9/')).toMatchObject({ error: 'invalid_url' });
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
    const secure = await receiver(undefined, { key, cert });
    expect(await test(secure.url)).toEqual({
      delivered: false,
      status: null,
      error: 'certificate_not_valid',
    });
    expect(secure.received).toEqual([]);
    await secure.close();
    expect(await test(secure.url)).toEqual({ delivered: false, status: null, error: 'no_response' });
    await api('DELETE', `/webhook/${id}`);
  });

  it('a session that passed is reported in the format of Slack, and sent again on request (contract 2)', async () => {
    let status = 500;
    const hooks = await receiver((_delivery, response) => void response.writeHead(status).end());
    const { id } = await addWebhook(hooks.url, ['session_passed'], { format: 'slack', tag: 'smoke' });
    await failedSession('not of interest');
    for (const tag of ['other', 'smoke']) {
      const { body } = await createSession(lab.url, undefined);
      const session = `${lab.url}/session/${body.value.sessionId}`;
      const run = (script: string, args: object) =>
        request(`${session}/execute/sync`, { method: 'POST', json: { script, args: [args] } });
      await run('svc: addTag', { tag });
      await run('svc: setSessionName', { name: `<!here> ${tag}` });
      await run('svc: setSessionStatus', { status: 'passed' });
      await request(session, { method: 'DELETE' });
    }
    await hooks.until((received) => received.length > 0);
    expect(hooks.received.map(({ json }) => (json as { text?: unknown }).text)).toEqual([
      'Session &lt;!here&gt; smoke passed',
    ]);
    const listed = async () => (await api('GET', `/webhook/${id}/deliveries`)).body;
    await expect.poll(async () => (await listed())[0].status).toBe(500);
    const [waiting] = await listed();
    expect(waiting).toMatchObject({
      event: 'session_passed',
      summary: 'Session <!here> smoke passed',
      state: 'waiting',
      tries: 1,
      nextTryAt: expect.any(String),
    });
    const resend = () => api('POST', `/webhook/${id}/deliveries/${waiting.id}/resend`);
    expect((await resend()).body).toMatchObject({ error: 'conflict' });
    status = 200;
    await hooks.until((received) => received.length > 1);
    await expect.poll(async () => (await listed())[0].state).toBe('delivered');
    const again = await resend();
    expect(again).toMatchObject({
      status: 201,
      body: { event: 'session_passed', state: 'waiting', tries: 0 },
    });
    await hooks.until((received) => received.length > 2);
    const [first, second, third] = hooks.received;
    expect([second?.id, third?.id]).toEqual([first?.id, again.body.id]);
    expect(third?.body).toBe(first?.body);
    await api('PATCH', `/webhook/${id}`, { paused: true });
    expect((await resend()).body).toMatchObject({ error: 'conflict' });
    const { items } = (await api('GET', '/audit?event=webhook_delivery_resent')).body;
    expect(items).toHaveLength(1);
    await api('DELETE', `/webhook/${id}`);
  });

  it('killed in the middle of deliveries: all arrive, twice only with the same id (specification 6)', async () => {
    let isHeld = true;
    let arrived = 0;
    const slow = await receiver((_delivery, response) => {
      arrived += 1;
      // The server is killed before the third delivery gets a response.
      if (arrived < 3 || !isHeld) response.writeHead(200).end('ok');
    });
    const quick = await receiver();
    await addWebhook(slow.url);
    await addWebhook(quick.url);
    const sessions: string[] = [];
    for (let round = 0; round < 8; round += 1) sessions.push(await failedSession(`round ${round}`));
    const { body } = await createSession(lab.url, undefined);
    sessions.push(body.value.sessionId);
    await slow.until(() => arrived >= 3);
    await lab.stop('SIGKILL');
    isHeld = false;
    lab = await startLab({ env: ALLOWED, dataDir: lab.dataDir });

    for (const hooks of [slow, quick]) {
      const delivered = () => hooks.received.map(({ json }) => json.payload.sessionId);
      await hooks.until(() => sessions.every((id) => delivered().includes(id)));
      // Each session has one delivery id, regardless of how often it was sent.
      const ids = new Set(hooks.received.map(({ id }) => id));
      expect(ids.size).toBe(sessions.length);
      const bodies = new Set(hooks.received.map(({ id, body: sent }) => `${id} ${sent}`));
      expect(bodies.size).toBe(sessions.length);
    }
    const third = slow.received[2]?.id;
    expect(slow.received.filter(({ id }) => id === third)).toHaveLength(2);
    const left = slow.received.find(({ json }) => json.payload.sessionId === sessions.at(-1));
    expect(left?.json.payload.failureReason).toBe('the server was restarted');
  });
});
