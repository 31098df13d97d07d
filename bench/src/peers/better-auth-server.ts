import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { bearer } from 'better-auth/plugins';
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { ready } from '../child.ts';
import type { Headers } from '../load.ts';
import { PEOPLE } from './people.ts';

/** Keys, cookies and bearer tokens of better-auth, with the same framework and database. */
export interface BetterAuthFacts {
  readonly keys: Headers[];
  readonly cookies: Headers[];
  readonly bearers: Headers[];
}

const folder = mkdtempSync(join(tmpdir(), 'better-auth-bench-'));
const database = new Database(join(folder, 'auth.db'));
database.pragma('journal_mode = wal');
database.pragma('synchronous = off');
const auth = betterAuth({
  database,
  secret: 'a secret only this bench knows, and no longer than it runs',
  baseURL: 'http://127.0.0.1',
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  plugins: [apiKey({ rateLimit: { enabled: false } }), bearer()],
});
await (await getMigrations(auth.options)).runMigrations();

const keys: Headers[] = [];
const cookies: Headers[] = [];
const bearers: Headers[] = [];
for (let index = 0; index < PEOPLE; index += 1) {
  const context = await auth.$context;
  const person = { email: `user-${index}@lab.test`, name: `User ${index}`, emailVerified: true };
  const user = await context.internalAdapter.createUser(person, { method: 'email-password' });
  const { key } = await auth.api.createApiKey({ body: { userId: user.id, name: 'bench' } });
  keys.push({ 'x-api-key': key });
  const session = await context.internalAdapter.createSession(user.id);
  const { name } = context.authCookies.sessionToken;
  const value = await signed(session.token, context.secret);
  cookies.push({ cookie: `${name}=${value}` });
  bearers.push({ authorization: `Bearer ${value}` });
}

const app = Fastify({ logger: false });
app.get('/by-key', async (request, reply) => {
  const result = await auth.api.verifyApiKey({ body: { key: String(request.headers['x-api-key']) } });
  return reply.code(result.valid ? 200 : 401).send({ id: result.key?.referenceId ?? null });
});
app.get('/by-session', async (request, reply) => {
  const { cookie = '', authorization = '' } = request.headers;
  const headers = new Headers(cookie === '' ? { authorization } : { cookie });
  const found = await auth.api.getSession({ headers });
  return reply
    .code(found === null ? 401 : 200)
    .send({ id: found?.user.id ?? null, email: found?.user.email ?? null });
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });

ready(url, { keys, cookies, bearers } satisfies BetterAuthFacts, async () => {
  await app.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Signs a cookie value like better-auth: HMAC-SHA-256 after a dot, percent-encoded. */
async function signed(value: string, secret: string): Promise<string> {
  const usage = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), usage, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(value));
  return encodeURIComponent(`${value}.${Buffer.from(signature).toString('base64')}`);
}
