import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer, request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Outbound } from '@svc/outbound';
import { readConfig } from '@svc/settings';
import { generate } from 'selfsigned';
import { buildConnector, Pool } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const servers: Server[] = [];
let plain: number;
let secure: number;
let proxyPort: number;
let ca: string;
/** The requests that the proxy received, and how it responds. */
let asked: { target: string; authorization: string | undefined }[];
let answer: 'tunnel' | 'refuse' | 'hang';

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  const made = await generate([{ name: 'commonName', value: 'far.test' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'far.test' }] },
    ],
  });
  ca = made.cert;
  const tell = (req: IncomingMessage, res: { end(text: string): unknown }) =>
    void res.end(`${req.method} ${req.headers.host} ${req.headers['proxy-authorization'] ?? 'none'}`);
  plain = await listen(createServer(tell));
  secure = await listen(createTlsServer({ key: made.private, cert: made.cert }, tell) as unknown as Server);
  const proxy = createServer((_req, res) => void res.writeHead(405).end());
  proxy.on('connect', (req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined);
    asked.push({ target: req.url ?? '', authorization: req.headers['proxy-authorization'] });
    if (answer === 'hang') return;
    if (answer === 'refuse') return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const to = connect(req.url?.endsWith(':443') ? secure : plain, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(to).pipe(socket);
    });
    to.on('error', () => socket.destroy());
  });
  proxyPort = await listen(proxy);
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  asked = [];
  answer = 'tunnel';
});

function through(user = '', port = proxyPort): Outbound {
  const { config } = readConfig({
    env: { SVC_PROXY: `http://${user}127.0.0.1:${port}` },
    homeDir: '/home',
    readFile: () => '',
    resolvePath: (...parts) => parts.join('/'),
  });
  return new Outbound(config.proxy);
}

async function byPool(outbound: Outbound, origin: string, tls = {}, timeoutMs?: number): Promise<string> {
  const pool = new Pool(origin, { connect: outbound.connector(buildConnector, tls, timeoutMs) });
  try {
    return await (await pool.request({ method: 'GET', path: '/' })).body.text();
  } finally {
    await pool.destroy();
  }
}

async function byRequest(url: string, options: object): Promise<string> {
  const asking = (url.startsWith('https') ? httpsRequest : httpRequest)(url, options).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { code?: string; message: string }) => `${error.code} ${error.message}`,
  );

describe('calls to another server with a proxy (specification 9.2 from 2.16)', () => {
  it('calls to another server with a proxy go through a tunnel of it, in clear and by TLS, with its password and never past it (specification 9.2 from 2.16)', async () => {
    const outbound = through('u%3A1:p%40ss@');
    expect(await byPool(outbound, 'http://far.test')).toBe('GET far.test none');
    expect(await byPool(outbound, 'https://far.test', { ca })).toBe('GET far.test none');
    for (const url of ['http://far.test/', 'https://far.test/'])
      expect(await byRequest(url, outbound.connection(new URL(url), { ca }))).toBe('GET far.test none');
    const authorization = `Basic ${Buffer.from('u:1:p@ss').toString('base64')}`;
    expect(asked).toEqual([80, 443, 80, 443].map((port) => ({ target: `far.test:${port}`, authorization })));
  });

  it('check the certificate of the server, not of the proxy', async () => {
    const outbound = through();
    expect(await failure(byPool(outbound, 'https://far.test'))).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
    const url = 'https://other.test/';
    expect(await failure(byRequest(url, outbound.connection(new URL(url), { ca })))).toMatch(/ALTNAME/);
  });

  it('name the address that was checked in place of the host', async () => {
    const url = new URL('https://far.test/');
    expect(await byRequest(url.href, through().connection(url, { ca }, '192.0.2.7'))).toContain('far.test');
    expect(
      await byRequest(
        'http://far.test/',
        through().connection(new URL('http://far.test'), {}, '2001:db8::1'),
      ),
    );
    expect(asked.map(({ target }) => target)).toEqual(['192.0.2.7:443', '[2001:db8::1]:80']);
  });

  it.each(['127.0.0.1', 'localhost', '127.9.9.9', '[::1]', 'a.localhost'])(
    'calls to another server with a proxy reach this machine directly: %s (specification 9.2 from 2.16)',
    async (host) => {
      expect(through().proxyFor(host)).toBeNull();
      expect(asked).toEqual([]);
    },
  );

  it('calls to this machine bypass the proxy (specification 9.2 from 2.16)', async () => {
    expect(await byPool(through(), `http://127.0.0.1:${plain}`)).toContain('GET');
    expect(asked).toEqual([]);
  });

  it('calls to another server with a proxy fail, and never go around it, when it refuses, does not answer or is not there (specification 9.2 from 2.16)', async () => {
    answer = 'refuse';
    expect(await failure(byPool(through('user:hunter2@'), 'http://far.test'))).toBe(
      'ERR_NOT_CONNECTED the proxy did not connect to far.test:80: status 403',
    );
    answer = 'hang';
    expect(await failure(byPool(through(), 'http://far.test', {}, 50))).toContain('no answer in time');
    const url = new URL('http://far.test/');
    const none = through('', 1);
    expect(await failure(byRequest(url.href, none.connection(url)))).toContain('ECONNREFUSED');
  });
});
