import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, constants } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD, UNKNOWN_SESSION_BODY } from '@svc/contract';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FAKE_PHONE, runAppium, startAppium } from '../support/appium.ts';
import { freshDataDir, type RunningProcess } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

/** Appium's own TLS works only up to Node 22, because its library uses a part of Node that was removed. */
const APPIUM_HAS_TLS = Number(process.versions.node.split('.', 1)[0]) < 24;

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

type Ask = (sent: Sent) => Promise<HttpResponse>;

/** Sets the length of the body, because Appium ignores a body without it, even over HTTP/2. */
function bodied({ headers = {}, json }: Sent) {
  if (json === undefined) return { headers, body: undefined };
  const body = JSON.stringify(json);
  const more = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return { headers: { ...headers, ...more }, body };
}

async function textOf(answer: AsyncIterable<string | Buffer>): Promise<string> {
  let text = '';
  for await (const part of answer) text += String(part);
  return text;
}

const overHttp1 =
  (url: string, ca: string): Ask =>
  async (sent) => {
    const agent = new Agent({ ca });
    const { hostname, port } = new URL(url);
    const { headers, body } = bodied(sent);
    const { method = 'GET', path } = sent;
    const asking = httpsRequest({ hostname, port, path, method, agent, headers });
    asking.end(body);
    const [answer] = await once(asking, 'response');
    const text = await textOf(answer);
    agent.destroy();
    return { status: answer.statusCode, headers: answer.headers, text };
  };

const overHttp2 =
  (url: string, ca: string): Ask =>
  async (sent) => {
    const session = connect(url, { ca });
    const { headers, body } = bodied(sent);
    const stream = session.request({ ':method': sent.method ?? 'GET', ':path': sent.path, ...headers });
    stream.end(body);
    const [answer] = await once(stream, 'response');
    const text = await textOf(stream);
    session.close();
    return { status: Number(answer[':status']), headers: answer, text };
  };

/**
 * Sends a create-session request whose client can disconnect. Over HTTP/2, the client resets its stream, and the
 * connection stays open.
 * @returns a function that disconnects the client
 */
function leaving(url: string, ca: string, isHttp2: boolean, json: unknown): () => void {
  const { headers, body } = bodied({ path: '/session', json });
  const ignore = () => undefined;
  if (isHttp2) {
    const session = connect(url, { ca });
    const stream = session.request({ ':method': 'POST', ':path': '/session', ...headers });
    stream.on('error', ignore).end(body);
    return () => {
      stream.close(constants.NGHTTP2_CANCEL, () => session.close());
    };
  }
  const asking = httpsRequest(`${url}/session`, { method: 'POST', headers, ca, agent: false });
  asking.on('error', ignore).end(body);
  return () => asking.destroy();
}

async function certified() {
  const folder = freshDataDir();
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  writeFileSync(files.key, key);
  writeFileSync(files.cert, cert);
  return { cert, args: ['--ssl-cert-path', files.cert, '--ssl-key-path', files.key] };
}

function overTls(): void {
  let server: RunningProcess & { readonly url: string };
  let url: string;
  let ca: string;
  let ana: Person;
  let bob: Person;
  let admin: Record<string, string>;

  beforeAll(async () => {
    const plain = await startAppium();
    const cookie = await superAdmin(plain);
    admin = { cookie };
    ana = await makePerson(plain, cookie, 'ana@example.org');
    bob = await makePerson(plain, cookie, 'bob@example.org');
    await plain.stop();
    const { cert, args } = await certified();
    ca = cert;
    server = await startAppium({
      dataDir: plain.dataDir,
      args: [...args, '--log-level', 'debug', '--allow-insecure', '*:session_discovery'],
      env: { SVC_REQUIRE_COMMAND_AUTH: 'true' },
    });
    url = server.url.replace('http:', 'https:');
  });
  afterAll(() => server?.stop());

  describe.each([
    ['HTTP/1.1', overHttp1],
    ['HTTP/2', overHttp2],
  ])('%s', (name, over) => {
    let ask: Ask;
    let id: string;

    const create = async (sent: object) =>
      await ask({
        method: 'POST',
        path: '/session',
        json: { capabilities: { alwaysMatch: { ...FAKE_PHONE, 'svc:options': sent } } },
      });

    beforeAll(async () => {
      ask = over(url, ca);
      const created = await create(pairOf(ana));
      expect(created.status, created.text).toBe(200);
      id = JSON.parse(created.text).value.sessionId;
    });

    it('a waiting create leaves the queue when its client goes away (contract 13)', async () => {
      const config = { method: 'POST', path: '/svc/api/config', headers: { ...admin, origin: url } };
      await ask({ ...config, json: { maxSessions: 1 } });
      const waiting = async () => {
        const { text } = await ask({ path: '/svc/api/capabilities', headers: ana.headers });
        return JSON.parse(text).queue.waiting;
      };
      const alwaysMatch = { ...FAKE_PHONE, 'svc:options': { ...pairOf(ana), queueSeconds: 600 } };
      const abort = leaving(url, ca, name === 'HTTP/2', { capabilities: { alwaysMatch } });
      await until(waiting, (count) => count === 1);
      abort();
      await until(waiting, (count) => count === 0);
      await ask({ ...config, json: { maxSessions: null } });
    });

    it('a server with TLS refuses as Appium refuses, and serves the owner', async () => {
      const path = `/session/${id}/timeouts`;
      for (const headers of [{}, bob.headers, { authorization: 'Bearer no-such' }]) {
        const refused = await ask({ path, headers });
        expect(refused).toMatchObject({
          status: 404,
          text: UNKNOWN_SESSION_BODY,
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'content-length': String(UNKNOWN_SESSION_BODY.length),
            'x-powered-by': 'Express',
          },
        });
      }
      expect((await ask({ path, headers: ana.headers })).status).toBe(200);
      const set = { method: 'POST', path, json: { implicit: 1000 } };
      expect((await ask(set)).status).toBe(404);
      expect((await ask({ ...set, headers: ana.headers })).status).toBe(200);
    });

    it('answers what it cannot read, and goes on', async () => {
      expect((await ask({ path: '/session\\x' })).status).toBe(400);
      const large = {
        method: 'POST',
        path: '/session',
        json: { capabilities: {}, more: 'x'.repeat(1024 * 1024) },
      };
      expect((await ask(large)).status).toBe(413);
      expect((await ask({ path: '/status' })).status).toBe(200);
    });

    it('a server with TLS lists to each account its own sessions', async () => {
      const listed = async (headers: Record<string, string>) =>
        JSON.parse((await ask({ path: '/appium/sessions', headers })).text).value.map(
          (each: { id: string }) => each.id,
        );
      expect(await listed(ana.headers)).toContain(id);
      expect(await listed(bob.headers)).not.toContain(id);
    });

    it('a server with TLS gives a browser a cookie for HTTPS alone', async () => {
      const json = { email: DEFAULT_ADMIN_EMAIL, password: DEFAULT_ADMIN_PASSWORD };
      const login = { method: 'POST', path: '/svc/api/auth/login', json };
      const signedIn = await ask({ ...login, headers: { origin: url } });
      expect(signedIn.status).toBe(204);
      expect(String(signedIn.headers['set-cookie'])).toMatch(/; Secure(?:;|$)/);
      expect((await ask({ ...login, headers: { origin: 'https://elsewhere.example' } })).status).toBe(403);
    });

    it('a server with TLS serves the API, and notes the commands of the session', async () => {
      const me = await ask({ path: '/svc/api/auth/me', headers: ana.headers });
      expect(me.status).toBe(200);
      expect((await ask({ path: '/svc/api/auth/me' })).status).toBe(401);
      const log = await ask({ path: `/svc/api/session/${id}/session_log`, headers: ana.headers });
      expect(log.status).toBe(200);
      expect(log.text).toContain(`/session/${id}/timeouts`);
    });
  });

  it('a server with TLS opens the socket of a session to its owner alone', async () => {
    const created = await overHttp1(
      url,
      ca,
    )({
      method: 'POST',
      path: '/session',
      json: {
        capabilities: { alwaysMatch: { ...FAKE_PHONE, webSocketUrl: true, 'svc:options': pairOf(ana) } },
      },
    });
    expect(created.status, created.text).toBe(200);
    const { sessionId } = JSON.parse(created.text).value;
    const address = `${url.replace('https:', 'wss:')}/bidi/${sessionId}`;
    const stranger = new WebSocket(address, { ca, headers: bob.headers });
    const [, refused] = await once(stranger, 'unexpected-response');
    expect(refused.statusCode).toBe(404);
    stranger.on('error', () => {}).terminate();
    const owner = new WebSocket(address, { ca, headers: ana.headers });
    await once(owner, 'open');
    owner.terminate();
  });

  it('a server with TLS keeps secrets out of the log', () => {
    expect(server.output()).toContain('POST /session');
    for (const { token } of [ana, bob]) expect(server.output()).not.toContain(token);
    expect(server.child.exitCode).toBeNull();
  });
}

async function withoutTls(): Promise<void> {
  const { args } = await certified();
  const appium = await runAppium({ plugins: [], args });
  expect((await appium.exited).code, appium.output()).not.toBe(0);
}

if (APPIUM_HAS_TLS) describe('Appium with --ssl-cert-path (contract 7)', overTls);
else it('Appium has no TLS on this Node.js, with the plugin or without (contract 7)', withoutTls);
