import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ADMIN, openService } from './support/service.ts';

const HOSTILE = 3000;
const HOME = '198.51.100.7';
/** Number of unauthenticated sign-ins that may wait for a hash, according to `password-hasher.ts`. */
const WAITING = 16 * Math.max(1, availableParallelism() - 1);

describe('places for hashing (contract 4)', () => {
  it('sign-ins from a familiar address succeed during 3,000 hostile ones, and before the others (contract 4)', async () => {
    const service = await openService({}, { realHashes: true });
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service.app.server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    const signIn = async (agent: Agent, email: string, password: string, address: string) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address, origin };
      const path = '/svc/api/auth/login';
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path, agent, headers });
      sent.end(JSON.stringify({ email, password }));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    const own = new Agent({ keepAlive: true });
    const honest = () => signIn(own, ADMIN.email, ADMIN.password, HOME);
    expect(await honest()).toBe(204);

    const answers = new Map<number | undefined, number>();
    const hostile = new Agent({ keepAlive: true, maxSockets: 100 });
    const flood = Promise.all(
      Array.from({ length: HOSTILE }, async (_, at) => {
        const email = at % 2 === 0 ? ADMIN.email : `nobody-${at}@lab.test`;
        const status = await signIn(hostile, email, 'a guess', `10.0.${at >> 8}.${at & 255}`);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }),
    );
    // Waits until every place for unauthenticated sign-ins is taken.
    while (!answers.has(503)) await new Promise((next) => setImmediate(next));
    const before: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      const hashed = answers.get(401) ?? 0;
      expect(await honest()).toBe(204);
      before.push((answers.get(401) ?? 0) - hashed);
    }
    await flood;
    hostile.destroy();
    own.destroy();
    // If known addresses had no priority, this sign-in would have had to wait for all that arrived before it.
    expect(Math.min(...before)).toBeLessThan(WAITING / 2);
    expect([...answers.keys()].sort()).toEqual(expect.arrayContaining([401, 503]));
  });

  it('twenty invitations of one address at once are one user and nineteen conflicts', async () => {
    const service = await openService({}, { realHashes: true });
    const cookie = await service.signIn();
    const json = { email: 'ana@lab.test', name: 'Ana', role: 'Member' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.ask('/users', { json, cookie })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });
});
