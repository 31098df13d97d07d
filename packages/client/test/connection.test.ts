import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  connect,
  lease,
  SvcClient,
  SvcService,
  webdriverioConnection,
  withCommandHeaders,
} from '../src/index.ts';
import { type LabDouble, startLabDouble } from './lab-double.ts';

const PAIR = { accessKey: 'svc_k', token: 'svct_t' };
const LEASE = { leaseId: 'l1', leaseToken: 'svcl_x', udid: 'u1', expiresAt: '2030-01-01T00:00:00.000Z' };

let lab: LabDouble;
let answers: Record<string, [status: number, body: unknown]>;
const asked = () => lab.seen.map(({ method, url }) => `${method} ${url?.replace('/svc/api', '')}`);

beforeEach(async () => {
  answers = {
    'POST /auth/token': [200, { token: 'b1', expiresIn: 3600, audience: 'svc-rest', scopes: [] }],
    'GET /capabilities': [200, { webDriver: { basePath: '/wd/hub', example: null } }],
    'GET /auth/me': [200, { email: 'a@b' }],
    'POST /leases': [201, LEASE],
    'DELETE /leases/l1': [204, undefined],
  };
  lab = await startLabDouble();
  lab.answer = ({ method, url }, response) => {
    const [status, body] = answers[`${method} ${url?.replace('/svc/api', '')}`] ?? [
      404,
      { error: 'not_found' },
    ];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
});
afterEach(() => lab.close());

const client = () => new SvcClient({ url: lab.url, credential: PAIR });
const create = (capabilities: object) => ({ method: 'POST', body: JSON.stringify({ capabilities }) });
const sentOptions = (request: RequestInit): unknown =>
  JSON.parse(String(request.body)).capabilities.alwaysMatch['svc:options'];

describe('connect', () => {
  test('connect asks for the token and the base path, and tells of wrong credentials (spec 5.3)', async () => {
    const { url, headers } = await connect(client());
    expect(url).toBe(`${lab.url}/wd/hub`);
    expect(headers.current()).toEqual({ authorization: 'Bearer b1' });
    headers.stop();
    answers['POST /auth/token'] = [401, { error: 'invalid credentials' }];
    await expect(connect(client())).rejects.toMatchObject({ code: 'invalid credentials' });
  });

  test('connect uses the tokens of the job in a CI job, and requests none (contract 10.3)', async () => {
    const job = (sessionToken?: string) =>
      new SvcClient({ url: lab.url, credential: { bearer: 'j1', ...(sessionToken && { sessionToken }) } });
    const { headers, socketHeaders, credentials } = await connect(job('s1'));
    expect([headers.current(), socketHeaders.current()]).toEqual(
      Array(2).fill({ authorization: 'Bearer j1' }),
    );
    expect(credentials).toEqual({ sessionToken: 's1' });
    expect(asked()).toEqual(['GET /capabilities']);
    const { transformRequest } = await webdriverioConnection(job('s1'));
    expect(sentOptions(transformRequest(create({ alwaysMatch: {} })))).toEqual({ sessionToken: 's1' });
    await expect(connect(job())).rejects.toThrow(/SVC_SESSION_TOKEN/);
    answers['GET /capabilities'] = [401, { error: 'invalid token' }];
    await expect(connect(job('s1'))).rejects.toMatchObject({ code: 'invalid token' });
  });

  test.for(['@evil.example/', '.evil.example', '//evil.example', ':1/x', '/a?b', '/a\\b'])(
    '%j as a base path leads to no other server (spec 5.1)',
    async (basePath) => {
      answers['GET /capabilities'] = [200, { webDriver: { basePath, example: null } }];
      await expect(connect(client())).rejects.toThrow(/unusable base path/);
    },
  );

  test('connect refuses to start without a key pair (spec 5.4.1)', async () => {
    const bearer = new SvcClient({ url: lab.url, credential: { bearer: 'b' } });
    await expect(connect(bearer)).rejects.toThrow(/key pair/);
    expect(lab.seen).toEqual([]);
  });

  test('neither a connection nor a lease shows a secret when it is printed (contract 4)', async () => {
    const held = await lease(client(), { minutes: 5 });
    const connection = await connect(client(), { lease: held });
    connection.headers.stop();
    expect(held.leaseToken).toBe('svcl_x');
    expect(connection.credentials).toEqual({ ...PAIR, leaseId: 'l1', leaseToken: 'svcl_x' });
    for (const text of [inspect([held, connection], { depth: 9 }), JSON.stringify([held, connection])]) {
      expect(text).toContain('l1');
      expect(text).not.toMatch(/svct_t|svcl_x/);
    }
  });
});

describe('webdriverioConnection', () => {
  test('webdriverioConnection fills the create when it is sent, and leaves what was asked for as it is (spec 5.4.1, 5.5.2)', async () => {
    const { transformRequest, ...address } = await webdriverioConnection(client(), { lease: LEASE });
    const { hostname, port } = new URL(lab.url);
    expect(address).toMatchObject({ protocol: 'http', hostname, port: Number(port), path: '/wd/hub' });
    const asIs = create({ alwaysMatch: { platformName: 'Fake' }, firstMatch: [{}] });
    const sent = transformRequest(asIs);
    expect(sentOptions(sent)).toEqual({ ...PAIR, leaseId: 'l1', leaseToken: 'svcl_x' });
    expect(asIs.body).not.toContain('svct_t');
    const headers = new Headers(sent.headers);
    expect(headers.get('authorization')).toBe('Bearer b1');
    expect(headers.get('x-auto-is-sensitive')).toBe('true');
    expect(sent.redirect).toBe('error');
  });

  test('a command that looks like a create by its text carries no pair (spec 5.4.1)', async () => {
    const { transformRequest } = await webdriverioConnection(client());
    const command = { method: 'POST', body: '{"capabilities":"not an object"}' };
    expect(transformRequest(command).body).toBe(command.body);
    expect(transformRequest({ method: 'POST', body: '{"capabilities":' }).body).toBe('{"capabilities":');
  });
});

describe('SvcService', () => {
  test('a worker leases a phone, connects, and gives it back (contract 2, leases)', async () => {
    const service = new SvcService({ client: client(), lease: { platform: 'Fake', minutes: 5 } });
    const config: { path?: string; transformRequest?: (request: RequestInit) => RequestInit } = {};
    await service.beforeSession(config);
    expect(config.path).toBe('/wd/hub');
    const sent = config.transformRequest?.(create({ alwaysMatch: {}, firstMatch: [{}] })) as RequestInit;
    expect(sentOptions(sent)).toMatchObject({ leaseId: 'l1' });
    await service.after();
    await service.after();
    await service.afterSession();
    expect(asked().filter((line) => line.includes('leases'))).toEqual(['POST /leases', 'DELETE /leases/l1']);
  });

  test('the create of a worker that got no phone fails and says why (contract 2, leases)', async () => {
    answers['POST /leases'] = [409, { error: 'device_busy', message: 'all are busy' }];
    const config: { transformRequest?: () => void } = {};
    const service = new SvcService({ client: client(), lease: { minutes: 5 } });
    await service.beforeSession(config);
    expect(() => config.transformRequest?.()).toThrow('svc: device_busy: all are busy');
    answers['POST /leases'] = [404, { error: 'not_found', message: 'There is nothing at this address.' }];
    await service.beforeSession(config);
    expect(() => config.transformRequest?.()).toThrow(
      'svc: not_found: no phone that this caller may see matches',
    );
  });

  test('a run with wrong credentials ends in the launcher (spec 5.1.3)', async () => {
    await new SvcService({ client: client() }).onPrepare();
    answers['GET /auth/me'] = [401, { error: 'invalid credentials' }];
    const error = await new SvcService({ client: client() }).onPrepare().catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'SevereServiceError', message: 'svc: invalid credentials' });
  });

  test('the phone is given back when the connection fails (contract 2, leases)', async () => {
    answers['POST /auth/token'] = [503, { error: 'unavailable' }];
    const service = new SvcService({ client: client(), lease: { minutes: 5 } });
    await service.beforeSession({});
    await service.after();
    expect(asked()).toContain('DELETE /leases/l1');
  });
});

describe('withCommandHeaders', () => {
  test('withCommandHeaders fills a create without changing the request that selenium logs (spec 5.5.2)', async () => {
    const sent: { data?: unknown; headers: Map<string, string> }[] = [];
    class Base {
      async send(request: { path: string; data?: unknown; headers: Map<string, string> }) {
        sent.push(request);
      }
    }
    const { headers } = await connect(client());
    const Client = withCommandHeaders(Base, headers, () => ({ filled: true }));
    const request = { path: '/session', headers: new Map(), data: { filled: false } };
    await new Client().send(request);
    await new Client().send({ ...request, path: '/session/1/url' });
    expect(sent.map(({ data }) => data)).toEqual([{ filled: true }, { filled: false }]);
    expect(sent[0]?.headers.get('x-auto-is-sensitive')).toBe('true');
    expect(request.headers.size).toBe(0);
  });
});
