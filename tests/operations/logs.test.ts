import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startApi } from '../support/lab.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';

describe('access lines at debug (contract 5, SVC_LOG_LEVEL)', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startApi({ env: { SVC_LOG_LEVEL: 'debug' } });
  });
  afterAll(() => server?.stop());

  it('one JSON line for each request, with its id, without its query and headers (spec 5.5.5)', async () => {
    const id = 'chosen-by-the-sender.1';
    const headers = { 'X-Request-Id': id, 'X-Svc-Token': `svct_${'s'.repeat(49)}` };
    const answer = await rawRequest(server.url, '/svc/api/users?ticket=canary&token=canary', { headers });
    expect(answer.status).toBe(401);
    const line = JSON.parse(await server.line(new RegExp(`"${id}"`)));
    expect(line).toMatchObject({
      msg: 'Request answered',
      request: id,
      method: 'GET',
      path: '/svc/api/users',
      status: 401,
      caller: null,
    });
    expect(server.output()).not.toMatch(/canary|svct_/);
  });

  it('a sender forges no line and no colour', async () => {
    const before = server.output().length;
    const target = '/svc/api/%0a{"level":30,"msg":"forged"}\u009b31m/x'.replaceAll('"', '%22');
    await rawRequest(server.url, target, { headers: { 'X-Request-Id': 'a\u001b[31mb' } });
    await exchange(server.url, Buffer.from('GET /svc/api/users\u2028forged HTTP/1.1\r\nHost: x\r\n\r\n'));
    await rawRequest(server.url, '/svc/api/health', { headers: { 'X-Request-Id': 'the-last' } });
    await server.line(/"the-last"/);
    const lines = server.output().slice(before).trim().split('\n');
    for (const line of lines) expect(JSON.parse(line).msg).toBe('Request answered');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not be there.
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/);
  });
});
