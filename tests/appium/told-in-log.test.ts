import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startLab } from '../support/lab.ts';
import { rawRequest } from '../support/raw-http.ts';
import { close, upgrade } from '../support/web-socket.ts';

describe('what a sender can have written to the log', () => {
  let lab: RunningServer;

  beforeAll(async () => {
    lab = await startLab({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_LAB_LOG_LEVEL: 'debug' } });
  });
  afterAll(() => lab?.stop());

  it('a marked request to the API is one line in the log, without its query (spec 5.5.1)', async () => {
    const headers = { 'X-Auto-Is-Sensitive': 'true' };
    await rawRequest(lab.url, '/svc/api/devices?token=canary', { headers });
    await lab.line(/--> GET \/svc\/api\/devices \*\*SECURE\*\*$/);
    await rawRequest(lab.url, '/svc/api/teams?token=canary');
    await rawRequest(lab.url, '/session/last/url');
    await lab.line(/Command refused: GET \/session\/last\/url /);
    expect(lab.output().match(/\/svc\/api\/devices/g)).toHaveLength(1);
    expect(lab.output()).not.toMatch(/canary|\/svc\/api\/teams/);
  });

  it('a BiDi message is one line in the log, with its control characters escaped (contract 7)', async () => {
    const { socket } = await upgrade(lab.url, '/bidi');
    const answered = new Promise((done) => socket?.once('message', done));
    const id = 'x\r\n[svc] FAKE\r\u001b[2K';
    socket?.send(JSON.stringify({ id, method: 'a\r\nFAKE', params: {} }));
    await answered;
    await close(socket);
    expect(await lab.line(/<-- BIDI message #x/)).toContain('#x\\u000d\\u000a[svc] FAKE\\u000d\\u001b[2K');
    expect(lab.output()).not.toMatch(/\r|^(?:\[svc\] )?FAKE/m);
  });

  it('a refused command is one limited line in the log, without its query (contract 7)', async () => {
    const target = `/session/%0aFAKE%1b/${'x'.repeat(4_000)}?token=canary`;
    const headers = { 'X-Request-Id': 'not allowed' };
    expect((await rawRequest(lab.url, target, { headers })).status).toBe(404);
    const line = await lab.line(/Command refused: .*FAKE/);
    expect(line).toContain('(session \\u000aFAKE\\u001b, caller no credentials)');
    expect(line.length).toBeLessThan(700);
    expect(lab.output()).not.toMatch(/^FAKE|canary|not allowed/m);
  });
});
