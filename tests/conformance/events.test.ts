import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventFrame, EventStream, eventsTicket, openEvents } from '../support/event-stream.ts';
import { upgrade } from '../support/web-socket.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

/**
 * A connection is closed at the next check after its credential has ended, which is within half a second (contract 2);
 * the rest of this time is for a busy machine.
 */
const SOON_MS = 5_000;

describe.each(targets)('live events on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start);
  });
  afterAll(() => world.server.stop());

  const open = (as: Credentials, resume?: string): Promise<EventStream> => openEvents(world.url, as, resume);
  const change = (id: string, json: object) => world.ok('PATCH', `/users/${id}`, { as: world.root.as, json });
  /**
   * Causes an event of the audit trail.
   * @returns a function that recognises this event
   */
  const happen = async (): Promise<(frame: EventFrame) => boolean> => {
    const { id } = await world.ok('POST', '/teams', {
      as: world.root.as,
      json: { name: `Team ${Math.random()}` },
    });
    return ({ type, payload }) => type === 'audit' && payload.target === id;
  };
  const redeem = (ticket: string | undefined) =>
    upgrade(world.url, `/svc/api/events${ticket === undefined ? '' : `?ticket=${ticket}`}`);

  it('any credential gets a ticket for 60 seconds, no longer than its own life (contract 2, /events/ticket)', async () => {
    const { as } = await world.person();
    const bearer = await world.bearer(as);
    for (const each of [as, bearer, (await world.pair(as)).as]) {
      expect(await world.ok('POST', '/events/ticket', { as: each })).toEqual({
        ticket: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        expiresIn: 60,
      });
    }
    const expiresAt = new Date(Date.now() + 20_000).toISOString();
    const short = await world.pair(as, { expiresAt });
    expect((await world.ok('POST', '/events/ticket', { as: short.as })).expiresIn).toBeLessThanOrEqual(20);
    expectError(await world.api('POST', '/events/ticket'), 'unauthenticated');
    expectError(await world.api('POST', '/events/ticket', { as, json: { x: 1 } }), 'bad_request');
  });

  it('an upgrade without a good ticket is a bare 401 (contract 2, /events)', async () => {
    const { as } = await world.person();
    const ticket = await eventsTicket(world.url, as);
    const bad = [
      undefined,
      '',
      'x',
      `${ticket}x`,
      `${ticket}&ticket=${ticket}`,
      (await bearerOf(as)) as string,
    ];
    for (const each of bad) {
      const { status, body, headers } = await redeem(each);
      expect([each, status, body, headers['content-type']]).toEqual([each, 401, '', undefined]);
    }
    const { socket } = await redeem(ticket);
    expect(socket).toBeDefined();
    socket?.terminate();
    expect((await redeem(ticket)).status).toBe(401);
    expectError(await world.api('GET', `/events?ticket=${ticket}`), 'invalid ticket');
  });
  const bearerOf = async (as: Credentials) => (await world.bearer(as)).authorization?.slice('Bearer '.length);

  it('one of 20 simultaneous upgrades with one ticket is accepted (contract 4)', async () => {
    const ticket = await eventsTicket(world.url, world.root.as);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(ticket)));
    expect(answers.map(({ status }) => status).sort()).toEqual([101, ...Array(19).fill(401)]);
    for (const { socket } of answers) socket?.terminate();
  });

  it('a ticket is no good once its credential has ended (contract 2, /events)', async () => {
    const person = await world.person();
    const pair = await world.pair(person.as);
    const tickets = [await eventsTicket(world.url, pair.as), await eventsTicket(world.url, person.as)];
    await world.ok('DELETE', `/profile/tokens/${pair.id}`, { as: person.as });
    await world.ok('POST', '/auth/logout', { as: person.as });
    for (const ticket of tickets) expect((await redeem(ticket)).status).toBe(401);
  });

  it('frames have type, time, payload and id; the audit trail is for Admins with admin (specification 6)', async () => {
    const admin = await world.person('Admin');
    const streams = await Promise.all([
      open(admin.as),
      open((await world.pair(admin.as)).as),
      open((await world.person()).as),
    ]);
    const [full, limited, member] = streams;
    const mine = await happen();
    const frame = await full.until(mine);
    expect(frame).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      type: 'audit',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      payload: expect.objectContaining({ event: 'authz_admin', actorEmail: world.root.email, at: frame.at }),
    });
    await full.until(await happen());
    expect([limited?.frames, member?.frames]).toEqual([[], []]);
    for (const stream of streams) await stream.close();
  });

  describe('closes with 1008 within a second of (contract 2, specification 6)', () => {
    const pairOf = async (person: Person) => {
      const pair = await world.pair(person.as);
      return {
        as: pair.as,
        revoke: () => world.ok('DELETE', `/profile/tokens/${pair.id}`, { as: person.as }),
      };
    };
    const ENDS: Record<
      string,
      (person: Person) => Promise<{ as: Credentials; end: () => Promise<unknown> }>
    > = {
      'sign-out': async ({ as }) => ({ as, end: () => world.ok('POST', '/auth/logout', { as }) }),
      'the sign-in ended elsewhere': async (person) => {
        const other = await world.signIn(person.email, person.password);
        const [{ id }] = (await world.ok('GET', '/auth/sign-ins', { as: other })).filter(
          ({ current }: { current: boolean }) => !current,
        );
        return { as: person.as, end: () => world.ok('DELETE', `/auth/sign-ins/${id}`, { as: other }) };
      },
      'a revoked token': async (person) => {
        const { as, revoke } = await pairOf(person);
        return { as, end: revoke };
      },
      'a rotated access key': async (person) => {
        const { as } = await pairOf(person);
        return { as, end: () => world.ok('POST', '/profile/access-key/rotate', { as: person.as }) };
      },
      Inactive: async ({ id, as }) => ({
        as: await world.bearer(as),
        end: () => change(id, { status: 'Inactive' }),
      }),
      deletion: async ({ id, as }) => ({
        as: (await world.pair(as)).as,
        end: () => world.ok('DELETE', `/users/${id}`, { as: world.root.as }),
      }),
    };

    it.each(Object.keys(ENDS))('%s', async (name) => {
      const { as, end } = await (ENDS[name] as (typeof ENDS)[string])(await world.person());
      const stream = await open(as);
      await end();
      const began = performance.now();
      expect(await stream.closed).toBe(1008);
      expect(performance.now() - began).toBeLessThan(SOON_MS);
    });

    it("live events close with 1008 within a second of their credential's expiry, and not before (contract 2, specification 6)", async () => {
      const person = await world.person();
      // The ticket expires at a full second, so a shorter lifetime could be over when it is used.
      const until = Date.now() + 3_500;
      const pair = await world.pair(person.as, { expiresAt: new Date(until).toISOString() });
      const stream = await open(pair.as);
      expect(await stream.closed).toBe(1008);
      expect(Date.now()).toBeGreaterThanOrEqual(until);
      expect(Date.now()).toBeLessThan(until + SOON_MS);
    });
  });

  it('a change of role counts for an open connection at once, either way (specification 6)', async () => {
    const person = await world.person('Admin');
    const [stream, witness] = [await open(person.as), await open(world.root.as)];
    await stream.until(await happen());
    await change(person.id, { role: 'Member' });
    const hidden = await happen();
    await witness.until(hidden);
    await change(person.id, { role: 'Admin' });
    await stream.until(await happen());
    expect(stream.frames.some(hidden)).toBe(false);
    for (const each of [stream, witness]) await each.close();
  });

  it('a promotion counts at once for what a sign-in has opened or has a ticket for (specification 6, contract 3.1)', async () => {
    const person = await world.person();
    const stream = await open(person.as);
    const ticket = await eventsTicket(world.url, person.as);
    await change(person.id, { role: 'Admin' });
    const { socket } = await redeem(ticket);
    if (socket === undefined) throw new Error('not open');
    const later = new EventStream(socket);
    const seen = await happen();
    for (const each of [stream, later]) expect(await each.until(seen)).toMatchObject({ type: 'audit' });
    for (const each of [stream, later]) await each.close();
  });

  it('a reader of events continues behind its last event, and is told when that is gone (specification 6)', async () => {
    const before = await open(world.root.as);
    const { id } = await before.until(await happen());
    await before.close();
    const missed = [await happen(), await happen()];
    const after = await open(world.root.as, id);
    for (const each of missed) await after.until(each);
    await after.until(await happen());
    expect(after.types).not.toContain('history_lost');
    const ids = after.frames.map((frame) => frame.id);
    expect(new Set(ids).size).toBe(ids.length);
    await after.close();
    const lost = await open(world.root.as, 'an id of another start');
    expect(await lost.until(() => true)).toMatchObject({
      type: 'history_lost',
      payload: { lost: ['lab', 'audit', 'command'] },
    });
    await lost.close();
  });

  it('messages of clients are ignored, and limited in size (contract 2, /events)', async () => {
    const stream = await open(world.root.as);
    for (const text of ['{}', 'x', '{"type":"audit"}', '']) stream.socket.send(text);
    stream.socket.send(Buffer.from([1, 2, 3]));
    await stream.until(await happen());
    stream.socket.send('x'.repeat(100_000));
    expect(await stream.closed).toBe(1009);
  });

  it('the log of live events is for Admins with admin, in pages, with bounds that are checked (contract 2, /event-log)', async () => {
    const member = await world.person();
    expectError(await world.api('GET', '/event-log', { as: member.as }), 'insufficient_role');
    const { items, next } = await world.ok('GET', '/event-log', { as: world.root.as });
    // The API alone has no phones, so there are no other events.
    expect(new Set(items.map(({ type }: EventFrame) => type)).size).toBeLessThanOrEqual(1);
    expect(next).toBeNull();
    for (const query of ['before=x', `before=${world.root.id}`, 'limit=0', 'limit=x']) {
      expectError(await world.api('GET', `/event-log?${query}`, { as: world.root.as }), 'bad_request');
    }
  });

  it('the log of live events is among the features (specification 4)', async () => {
    const { features } = await world.ok('GET', '/capabilities', { as: world.root.as });
    expect(features).toMatchObject({ liveEvents: true });
  });
});
