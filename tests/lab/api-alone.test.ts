import { describe, expect, test } from 'vitest';
import { request, startApi } from '../support/lab.ts';

describe('the API alone', () => {
  test('starts without Appium, says once that it is ready and ends on SIGTERM (contract 9)', async () => {
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

test('(contract 5) tells at start what is enforced, and what is set in vain', async () => {
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
