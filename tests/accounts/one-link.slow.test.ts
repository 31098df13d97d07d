import { expect, it } from 'vitest';
import { makeUser, signIn, startApi } from '../support/lab.ts';
import { bodyOf } from './support/json.ts';

it('fifty-one simultaneous resets with one link over the network: exactly one succeeds', async () => {
  const server = await startApi();
  const cookie = await signIn(server.url);
  const { id, email } = await makeUser(server.url, cookie, { email: 'one@lab.test' });
  const made = await server.api(`/users/${id}/reset-link`, { method: 'POST', headers: { cookie } });
  const token = (await bodyOf(made)).link.split('#')[1];
  const statuses = await Promise.all(
    Array.from({ length: 51 }, async (_, at) => {
      const answer = await server.api('/auth/reset-password', {
        method: 'POST',
        headers: { 'x-forwarded-for': `198.51.100.${at}` },
        json: { token, newPassword: `a password of tests ${at}` },
      });
      return answer.status;
    }),
  );
  const winner = statuses.indexOf(204);
  expect(statuses.toSorted()).toEqual([204, ...Array(50).fill(404)]);
  await signIn(server.url, email, `a password of tests ${winner}`);
  await server.stop();
});
