import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

describe.each(targets)('rate limits on $name', ({ start }) => {
  let world: World;
  let member: Person;

  beforeAll(async () => {
    world = await World.start(start);
    member = await world.person('Member');
  });
  afterAll(() => world.server.stop());

  const read = (as: Credentials) => world.api('GET', '/auth/me', { as });
  const change = (as: Credentials) => world.api('POST', '/no/such/route', { as });

  const rateOf = ({ headers }: HttpResponse) => ({
    category: headers['x-ratelimit-category'],
    remaining: Number(headers['x-ratelimit-remaining']),
    capacity: Number(headers['x-ratelimit-capacity']),
  });

  it.each([
    ['a sign-in', 3000, 300, async () => (await world.person()).as],
    ['a bearer token', 3000, 300, async () => world.bearer((await world.person()).as)],
    ['a Profile token', 300, 300, async () => (await world.pair(member.as)).as],
    ['an API key of 42', 42, 42, async () => (await world.apiKey(world.root.as, { rateLimit: 42 })).as],
  ])('%s: %i reads and %i changes a minute (spec 8.1)', async (_, reads, changes, make) => {
    const as = await make();
    expect(rateOf(await read(as))).toMatchObject({ category: 'read', capacity: reads });
    expect(rateOf(await change(as))).toMatchObject({ category: 'change', capacity: changes });
  });

  it('HEAD counts as a read, and refusals count as what they are (spec 8.1.1)', async () => {
    const { as } = await world.apiKey(world.root.as, { rateLimit: 100 });
    const head = await world.api('HEAD', '/auth/me', { as });
    const missing = await world.api('GET', '/no/such/route', { as });
    const refused = await world.api('GET', '/users', { as });
    expect([head, missing, refused].map((answer) => rateOf(answer).category)).toEqual([
      'read',
      'read',
      'read',
    ]);
    const left = [head, missing, refused].map((answer) => rateOf(answer).remaining);
    expect(left[0]).toBeGreaterThan(left[2] as number);
  });

  it('a request beyond the limit gets a 429 with the exact body and headers (spec 8.1.3, contract)', async () => {
    const { as } = await world.apiKey(world.root.as, { rateLimit: 2 });
    const answers = [await read(as), await read(as), await read(as)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map((answer) => rateOf(answer).remaining)).toEqual([1, 0, 0]);
    const { headers, text, body } = answers[2] as HttpResponse;
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(29);
    expect(seconds).toBeLessThanOrEqual(30);
    expect(JSON.parse(text)).toEqual({ error: 'rate limit exceeded', category: 'read', retryAfter: seconds });
    expect(body.retryAfter).toBe(seconds);
    expectError(answers[2] as HttpResponse, 'rate limit exceeded');
    expect((await change(as)).status).toBe(404);
  });

  it('the headers of the IETF draft say the same', async () => {
    const { as } = await world.apiKey(world.root.as, { rateLimit: 2 });
    const [first, second, third] = [await read(as), await read(as), await read(as)];
    for (const { headers } of [first, second, third]) {
      expect(headers['ratelimit-policy']).toBe('"read";q=2;w=60');
    }
    expect(first.headers.ratelimit).toBe('"read";r=1;t=30');
    expect(second.headers.ratelimit).toBe('"read";r=0;t=60');
    expect(third.headers.ratelimit).toBe(`"read";r=0;t=${third.headers['retry-after']}`);
    expect((await change(as)).headers['ratelimit-policy']).toBe('"change";q=2;w=60');
  });

  it('a user’s sign-ins and bearer tokens share one count (spec 8.1.2)', async () => {
    const person = await world.person();
    const second = await world.signIn(person.email, person.password);
    const bearer = await world.bearer(person.as);
    const before = rateOf(await change(person.as)).remaining;
    for (let round = 0; round < 30; round += 1) await Promise.all([change(second), change(bearer)]);
    expect(rateOf(await change(person.as)).remaining).toBeLessThan(before - 30);
  });

  it('each key has its own count, apart from its owner’s (spec 8.1.2)', async () => {
    const [one, two] = [
      await world.apiKey(world.root.as, { rateLimit: 2 }),
      await world.apiKey(world.root.as, { rateLimit: 2 }),
    ];
    for (let round = 0; round < 3; round += 1) await read(one.as);
    expect((await read(one.as)).status).toBe(429);
    expect(rateOf(await read(two.as))).toMatchObject({ remaining: 1 });
    expect((await read(world.root.as)).status).toBe(200);
  });

  it('a changed limit counts from the next request on', async () => {
    const { id, as } = await world.apiKey(world.root.as, { rateLimit: 1 });
    await read(as);
    expect((await read(as)).status).toBe(429);
    const changed = await world.api('PATCH', `/apikeys/${id}`, {
      as: world.root.as,
      json: { rateLimit: 60_000 },
    });
    expect(changed.body).toMatchObject({ id, rateLimit: 60_000 });
    await expect.poll(async () => (await read(as)).status, { timeout: 5000 }).toBe(200);
    expect(rateOf(await read(as)).capacity).toBe(60_000);
    const wrong = await world.api('PATCH', `/apikeys/${id}`, { as: world.root.as, json: { rateLimit: 0 } });
    expectError(wrong, 'invalid_rate_limit');
  });

  it('the allowance refills evenly (spec 8.1.3)', async () => {
    const { as } = await world.apiKey(world.root.as, { rateLimit: 600 });
    await Promise.all(Array.from({ length: 100 }, () => read(as)));
    const after = rateOf(await read(as)).remaining;
    await expect
      .poll(async () => rateOf(await read(as)).remaining, { timeout: 5000, interval: 500 })
      .toBeGreaterThan(after);
  });

  it('health and the other public routes are not limited (contract 2 health)', async () => {
    const answers = await Promise.all(Array.from({ length: 400 }, () => world.api('GET', '/health')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('no more of many simultaneous requests pass than the limit allows (spec 8.1)', async () => {
    const { as } = await world.apiKey(world.root.as, { rateLimit: 10 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => read(as)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(11);
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(39);
  });
});
