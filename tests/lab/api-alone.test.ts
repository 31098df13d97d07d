import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { request, startApi } from '../support/lab.ts';

describe('the API alone', () => {
  test('the API alone starts without Appium, says once that it is ready and ends on SIGTERM (contract 9)', async () => {
    const api = await startApi();
    expect(api.output().match(/^svc ready on .*$/gm)).toEqual([`svc ready on ${api.url}`]);
    expect((await api.api('/health')).status).toBe(200);
    expect((await request(`${api.url}/status`)).status).toBe(404);
    expect((await request(`${api.url}/svc/lab.json`)).status).toBe(404);
    const stopped = await api.stop();
    expect(stopped).toMatchObject({ code: 0, signal: null });
    expect(stopped.tookMs).toBeLessThan(5000);
  });
});

test('a request that comes while it stops is refused in the one error shape (contract 1, 9)', async () => {
  const api = await startApi();
  const { hostname: host, port } = new URL(api.url);
  const socket = connect({ host, port: Number(port) });
  const answers = text(socket);
  // The body never arrives, so the connection stays open after the signal.
  socket.write(`POST /svc/api/auth/login HTTP/1.1\r\nhost: ${host}\r\norigin: ${api.url}\r\n`);
  socket.write('content-type: application/json\r\ncontent-length: 2\r\n\r\n{');
  await expect.poll(async () => (await api.api('/health')).status).toBe(200);
  api.child.kill('SIGTERM');
  await expect.poll(() => isRefused(host, Number(port))).toBe(true);
  socket.write(`}GET /svc/api/health HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const second = (await answers).split('HTTP/1.1 ').at(-1) ?? '';
  expect(second).toMatch(/^503 /);
  expect(second).toMatch(/^x-request-id: /im);
  expect(JSON.parse(second.slice(second.indexOf('\r\n\r\n')))).toEqual({
    error: 'unavailable',
    message: expect.any(String),
  });
  expect(await api.exited).toEqual({ code: 0, signal: null });
});

async function isRefused(host: string, port: number): Promise<boolean> {
  const probe = connect({ host, port });
  try {
    await once(probe, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    probe.destroy();
  }
}

test('the API alone tells at start what is enforced, and what is set in vain (contract 5)', async () => {
  const api = await startApi({
    env: { HOST: '0.0.0.0', SVC_REQUIRE_COMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'ture' },
  });
  const output = api.output();
  expect(output.match(/Enforced: /g)).toHaveLength(1);
  expect(output).toContain('sign-in ON; session credentials OFF; command check OFF; trusted proxies NONE');
  expect(output).toMatch(/SVC_REQUIRE_COMAND_AUTH is not a setting.*SVC_REQUIRE_COMMAND_AUTH/);
  expect(output).toMatch(/SVC_REQUIRE_SESSION_TOKEN is neither on .* it is OFF/);
  expect(output).toContain('listens beyond this machine (0.0.0.0)');
  await api.stop();
});
