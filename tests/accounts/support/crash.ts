import { expect } from 'vitest';
import { freshDataDir, makeUser, type RunningServer, signIn, startApi } from '../../support/lab.ts';
import { bodyOf } from './json.ts';

const OLD = 'the old password';
const EMAIL = 'crash@lab.test';
/** Reads whether a password is accepted, and the state of the sign-in and the reset link from before the change. */
async function stateOf(server: RunningServer, before: { cookie: string; token: string }, password: string) {
  const login = (candidate: string) =>
    server.api('/auth/login', { method: 'POST', json: { email: EMAIL, password: candidate } });
  const { token } = before;
  const check = await server.api('/auth/reset-password/check', { method: 'POST', json: { token } });
  return {
    old: (await login(OLD)).status === 204,
    new: (await login(password)).status === 204,
    signedIn: (await server.api('/auth/me', { headers: { cookie: before.cookie } })).status === 200,
    link: check.status === 200,
  };
}

/**
 * Kills the process at each of these moments of a password change and checks the state that a new process reads. A
 * moment is a fraction of the time that an undisturbed reset takes, or null for the time after its response.
 */
export async function expectWholeStates(
  kind: 'reset' | 'change',
  moments: readonly (number | null)[],
): Promise<void> {
  const dataDir = freshDataDir();
  const env = { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' };
  let server = await startApi({ dataDir, env });
  const root = await signIn(server.url);
  const { id } = await makeUser(server.url, root, { email: EMAIL, password: OLD });
  const began = performance.now();
  await backToOld(server, root, id);
  const undisturbed = performance.now() - began;
  const seen = new Set<string>();
  for (const [round, moment] of moments.entries()) {
    const password = `the new password ${round}`;
    const headers = { cookie: root };
    const made = await server.api(`/users/${id}/reset-link`, { method: 'POST', headers });
    const token = (await bodyOf(made)).link.split('#')[1];
    const cookie = await signIn(server.url, EMAIL, OLD);
    const other = await signIn(server.url, EMAIL, OLD);
    const asked =
      kind === 'reset'
        ? server.api('/auth/reset-password', { method: 'POST', json: { token, newPassword: password } })
        : server.api('/auth/change-password', {
            method: 'POST',
            headers: { cookie: other },
            json: { oldPassword: OLD, newPassword: password },
          });
    const answered = asked.then(
      ({ status }) => status,
      () => 0,
    );
    if (moment === null) await answered;
    await killAfter(server, (moment ?? 0) * undisturbed);
    await server.exited;
    const status = await answered;
    server = await startApi({ dataDir, env });
    const { old, new: fresh, signedIn, link } = await stateOf(server, { cookie, token }, password);
    const state = JSON.stringify({ old, fresh, signedIn, link });
    const before = JSON.stringify({ old: true, fresh: false, signedIn: true, link: true });
    const after = JSON.stringify({ old: false, fresh: true, signedIn: false, link: false });
    expect([before, after], `killed at ${moment}`).toContain(state);
    // If the change was confirmed to the client, it must be kept.
    if (status === 204) expect(state).toBe(after);
    seen.add(state);
    if (fresh) await backToOld(server, root, id);
  }
  // At the first moment the password was not changed yet, and at the last moment it was, so both states must occur.
  expect(seen.size).toBe(2);
  await server.stop();
}

function killAfter(server: RunningServer, ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(() => {
      server.child.kill('SIGKILL');
      done();
    }, ms);
  });
}

async function backToOld(server: RunningServer, root: string, id: string): Promise<void> {
  const headers = { cookie: root };
  const made = await server.api(`/users/${id}/reset-link`, { method: 'POST', headers });
  const token = (await bodyOf(made)).link.split('#')[1];
  const answer = await server.api('/auth/reset-password', {
    method: 'POST',
    json: { token, newPassword: OLD },
  });
  if (answer.status !== 204) throw new Error(`back to the old password: ${answer.status}`);
}
