import { fileURLToPath } from 'node:url';
import { REDACTED } from '@svc/device-lab';
import { expect, it } from 'vitest';
import { request, startLab } from '../support/lab.ts';
import { logOf } from '../support/records.ts';
import { createSession, makePerson, pairOf, superAdmin } from '../support/sessions.ts';

const preload = fileURLToPath(new URL('proxying-driver.mjs', import.meta.url));

it('commands that a driver proxies stay proxied, are logged, and `svc:` ones answered (contract 6.5)', async () => {
  const lab = await startLab({ env: { NODE_OPTIONS: `--import=${preload}` } });
  const ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  const id = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
  const execute = async (script: string) => {
    const answer = await request(`${lab.url}/session/${id}/execute/sync`, {
      method: 'POST',
      json: { script, args: [{ name: 'proxied' }] },
    });
    return ((await answer.json()) as { value: unknown }).value;
  };
  // If a plugin had handled the command, the response would be 'proxied via proxyCommand'.
  expect(await execute('return 1')).toBe('proxied via proxyReqRes');
  expect(await execute('svc: setSessionName')).toEqual({ recorded: true });
  expect(await logOf(lab, ana.headers, id)).toMatchObject([
    // The script and the typed text are masked, also where the response repeats them.
    { status: 200, body: { script: REDACTED }, response: { value: `${REDACTED} via proxyReqRes` } },
    { status: 200, body: { script: 'svc: setSessionName' }, response: { value: { recorded: true } } },
  ]);
  await lab.stop();
});
