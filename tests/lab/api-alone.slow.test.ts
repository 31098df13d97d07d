import { expect, test } from 'vitest';
import { makeToken, signIn, startApi } from '../support/lab.ts';

test('the API alone: a second start on its folder keeps account and token (contract 9)', async () => {
  const first = await startApi();
  const pair = await makeToken(first.url, await signIn(first.url));
  expect(await first.stop('SIGINT')).toMatchObject({ code: 0 });
  const second = await startApi({ dataDir: first.dataDir });
  expect((await second.api('/auth/me', { headers: pair.headers })).status).toBe(200);
  await second.stop();
});
