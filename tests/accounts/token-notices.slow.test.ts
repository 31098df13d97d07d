import { expect, it } from 'vitest';
import { freshDataDir, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { startMailServer } from './support/smtp.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates a token whose last notice (one day before the expiry) is due a moment after its creation. */
async function makeToken(server: RunningServer, cookie: string, name: string): Promise<void> {
  const expiresAt = new Date(Date.now() + DAY_MS + 300).toISOString();
  const answer = await server.api('/profile/tokens', {
    method: 'POST',
    headers: { cookie },
    json: { name, expiresAt },
  });
  expect(answer.status).toBe(201);
}

it('no token is named in two mails, also after SIGKILL (contract 10.6)', { timeout: 60_000 }, async () => {
  const smtp = await startMailServer({ disabledCommands: ['STARTTLS'] });
  const dataDir = freshDataDir();
  const start = () => startApi({ dataDir, env: { SVC_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
  const named: string[] = [];
  const next = async () => {
    const { source } = await smtp.next();
    named.push(...[...source.matchAll(/- Token "(\w+)" ends in 1 day/g)].map(([, name = '']) => name));
  };
  for (const name of ['first', 'second', 'third']) {
    const server = await start();
    await makeToken(server, await signIn(server.url), name);
    await next();
    server.child.kill('SIGKILL');
    await server.exited;
  }
  const server = await start();
  await makeToken(server, await signIn(server.url), 'last');
  await next();
  await server.stop();
  expect(named).toEqual(['first', 'second', 'third', 'last']);
  expect(smtp.count()).toBe(4);
});
