import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const Database = createRequire(createRequire(import.meta.url).resolve('@svc/store-sqlite'))('better-sqlite3');

describe.each(targets)('limits of making tokens on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start);
  });
  afterAll(() => world.server.stop());

  const makeToken = (as: Credentials) => world.api('POST', '/profile/tokens', { as, json: { name: 'x' } });
  const makeKey = (as: Credentials) =>
    world.api('POST', '/apikeys', { as, json: { name: 'x', scopes: ['read'] } });

  /** Inserts Profile tokens of a person as if they had been created earlier. */
  function addTokens({ id }: Person, count: number, expiresAt: number | null): void {
    const database = new Database(join(world.server.dataDir, 'svc.db'));
    const insert = database.prepare(`
      insert into api_tokens (id, owner_id, hash, kind, name, scopes, rate_limit, created_at, expires_at)
      values (?, ?, ?, 'profile', 'older', 'read', 300, 1, ?)`);
    const all = Array.from({ length: count }, () => randomUUID());
    database.transaction(() => all.map((uuid) => insert.run(uuid, id, `hash of ${uuid}`, expiresAt)))();
    database.close();
  }

  it('many credentials of one account make 300 tokens and keys a minute, and no more (contract 4)', async () => {
    const person = await world.person('Admin');
    const scopes = { scopes: ['admin'], rateLimit: 1000 };
    const keys = [await world.apiKey(person.as, scopes), await world.apiKey(person.as, scopes)];
    const credentials = [person.as, await world.bearer(person.as), ...keys.map(({ as }) => as)];
    const startedAt = performance.now();
    const answers: HttpResponse[] = [];
    for (let round = 0; round < 12; round += 1) {
      const asked = credentials.flatMap((as) =>
        Array.from({ length: 4 }, () => [makeToken(as), makeKey(as)]),
      );
      answers.push(...(await Promise.all(asked.flat())));
    }
    const refilled = Math.ceil((performance.now() - startedAt) / 200);
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThanOrEqual(298);
    expect(made.length).toBeLessThanOrEqual(298 + refilled);
    expect((await makeToken((await world.person()).as)).status).toBe(201);
  });

  it('a creation beyond the limit gets 429 with the body, the wait and the headers of the rate limit (contract 4, spec 8.1.3)', async () => {
    const person = await world.person('Admin');
    const { as } = await world.apiKey(person.as, { scopes: ['admin'], rateLimit: 100_000 });
    let answer = await makeKey(as);
    for (let round = 0; answer.status === 201 && round < 40; round += 1) {
      answer = (await Promise.all(Array.from({ length: 10 }, () => makeKey(as)))).at(-1) as HttpResponse;
    }
    expectError(answer, 'rate limit exceeded');
    expect(answer.body).toEqual({ error: 'rate limit exceeded', category: 'change', retryAfter: 1 });
    expect(answer.headers).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-category': 'change',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-capacity': '300',
    });
    expect(await world.asks(as)).toBe('200');
  });

  it('all credentials of an account together get 1,200 bearers and tickets a minute, whatever the door, and other accounts theirs (contract 4)', async () => {
    const person = await world.person('Admin');
    const keys = [];
    for (let made = 0; made < 3; made += 1)
      keys.push((await world.apiKey(person.as, { scopes: ['admin'], rateLimit: 100_000 })).as);
    const credentials = [...keys, await world.bearer(keys[0] as Credentials), person.as];
    const [device] = await world.ok('GET', '/devices', { as: person.as });
    const doors: readonly (readonly [string, object?])[] = [
      ['/auth/token', { audience: 'svc-rest' }],
      ['/auth/token', { audience: 'svc-mcp' }],
      ['/events/ticket'],
      ...(device === undefined ? [] : [[`/control/${device.udid}/stream/ticket`] as const]),
    ];
    const startedAt = performance.now();
    const answers: { door: string; answer: HttpResponse }[] = [];
    for (let round = 0; round < 100; round += 1) {
      const asked = credentials.flatMap((as) =>
        doors.map(async ([door, json = {}]) => ({
          door,
          answer: await world.api('POST', door, { as, json }),
        })),
      );
      answers.push(...(await Promise.all(asked)));
      if (answers.filter(({ answer }) => answer.status === 200).length > 1_500) break;
    }
    const refilled = Math.ceil((performance.now() - startedAt) / 50);
    const made = answers.filter(({ answer }) => answer.status === 200);
    expect(made.length).toBeGreaterThanOrEqual(1_195);
    expect(made.length).toBeLessThanOrEqual(1_200 + refilled);
    const refused = answers.filter(({ answer }) => answer.status !== 200);
    expect(new Set(refused.map(({ door }) => door)).size).toBe(new Set(doors.map(([door]) => door)).size);
    for (const { answer } of refused) expectError(answer, 'rate limit exceeded');
    expect(refused.at(-1)?.answer.headers['retry-after']).toBeDefined();
    const other = await world.person();
    expect((await world.api('POST', '/auth/token', { as: other.as })).status).toBe(200);
    // The account goes on with what needs no new token, and stops stay possible.
    expect(await world.asks(keys[0] as Credentials)).toBe('200');
    const rows = (await world.ok('GET', '/audit?limit=500', { as: world.root.as })) as {
      items: { event: string; actor: string; count?: number }[];
    };
    const minted = rows.items.filter(
      ({ event, actor }) => event === 'authn_token_created' && actor === person.id,
    );
    expect(minted.length).toBeLessThan(40);
  });

  it('simultaneous requests pass up to the room that is left, and the others are refused (contract 4)', async () => {
    const person = await world.person();
    addTokens(person, 490, null);
    addTokens(person, 20, Date.now() - 1000);
    const { as } = await world.pair(person.as);
    const asked = Array.from({ length: 40 }, (_, turn) => makeToken(turn % 2 ? as : person.as));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) {
      expectError(answer, 'too_many_tokens');
      expect(answer.body).toEqual({ error: 'too_many_tokens', message: expect.any(String), limit: 500 });
    }
    const [{ id }] = await world.ok('GET', '/profile/tokens', { as });
    await world.ok('DELETE', `/profile/tokens/${id}`, { as });
    expect((await makeToken(person.as)).status).toBe(201);
    expectError(await makeToken(person.as), 'too_many_tokens');
  });

  it('an Admin with 500 Profile tokens still makes API keys (contract 4)', async () => {
    const person = await world.person('Admin');
    addTokens(person, 500, null);
    expectError(await makeToken(person.as), 'too_many_tokens');
    expect((await makeKey(person.as)).status).toBe(201);
  });
});
