import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Audit, actorOf } from '../src/audit.ts';
import { Unavailable } from '../src/errors.ts';
import type { AuditEntry, Stores, StoreTransaction } from '../src/ports/index.ts';
import { type FakeClock, fakeClock, seededRandom } from '../src/testing/index.ts';
import { callerOf, NOON } from '../src/testing/support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MOST = Audit.NOTES_A_SECOND;

let clock: FakeClock;
let stores: Stores;
let audit: Audit;
/** Whether writing to the audit trail fails. */
let broken: boolean;
/** Number of attempts to write a row outside `flush`. */
let tries: number;

beforeEach(() => {
  clock = fakeClock(NOON);
  broken = false;
  tries = 0;
  const memory = memoryStores();
  const failing = (tx: StoreTransaction): StoreTransaction => {
    const append = (...entries: AuditEntry[]) => {
      tries += 1;
      if (broken) throw new Unavailable('disk full');
      tx.audit.append(...entries);
    };
    return { ...tx, audit: { ...tx.audit, append } };
  };
  stores = { ...memory, transaction: (work) => memory.transaction((tx) => work(failing(tx))) };
  audit = new Audit(stores, clock, seededRandom());
});

const rows = () => stores.audit.page(null, 100_000).reverse();
const events = () => rows().map(({ event }) => event);
const record = (event: string, details = {}) =>
  stores.transaction((tx) => audit.record(tx, event as never, details));
const note = (event: string) => audit.recordBestEffort(event as never, { outcome: 'failure' });
const notes = (count: number, name = 'note') => {
  for (let number = 0; number < count; number += 1) note(`${name} ${number}`);
};

describe('audit rows of changes', () => {
  it('audit rows of changes have a UUID and every member filled in, at once (contract 1, 2)', () => {
    record('user_created', { target: 'u-1' });
    expect(rows()).toEqual([
      {
        id: expect.stringMatching(UUID),
        event: 'user_created',
        outcome: 'success',
        actor: null,
        target: 'u-1',
        address: null,
        peer: null,
        requestId: null,
        reason: null,
        via: null,
        at: NOON,
        hash: expect.any(String),
        previousHash: '0'.repeat(64),
      },
    ]);
    expect(audit.pending).toBe(false);
  });

  it('audit rows of changes go with the change when it is taken back, and fail it when they cannot be written', () => {
    const work = () =>
      stores.transaction((tx) => {
        audit.record(tx, 'user_created', {});
        throw new Error('no');
      });
    expect(work).toThrow('no');
    expect(events()).toEqual([]);
    broken = true;
    expect(() => record('user_created')).toThrow(Unavailable);
  });

  it('name the actor and the request a caller came with', () => {
    const caller = callerOf('Admin', undefined, {
      from: { address: '10.0.0.9', peer: null, requestId: 'r-7' },
    });
    expect(actorOf(caller)).toEqual({
      actor: 'Admin-id',
      address: '10.0.0.9',
      peer: null,
      requestId: 'r-7',
    });
  });
});

describe('audit rows of refusals', () => {
  it('audit rows of refusals are written at once, in order of time with those of changes (contract 2, /audit)', () => {
    note('authn_login_fail');
    clock.advance(1);
    record('user_created');
    clock.advance(1);
    note('authz_fail');
    expect(rows().map(({ event, at }) => [event, at - NOON])).toEqual([
      ['authn_login_fail', 0],
      ['user_created', 1],
      ['authz_fail', 2],
    ]);
    expect(audit.pending).toBe(false);
  });

  it('audit rows of refusals stay when the transaction they were noted in is taken back', () => {
    const work = () =>
      stores.transaction((tx) => {
        audit.record(tx, 'user_updated', {});
        note('authz_fail');
        throw new Error('no');
      });
    expect(work).toThrow('no');
    expect(events()).toEqual(['authz_fail']);
  });

  it('audit rows of refusals fail nothing when they cannot be written, and are kept', () => {
    broken = true;
    stores.transaction(() => note('one'));
    note('two');
    expect(tries).toBe(1);
    expect(() => audit.flush()).toThrow(Unavailable);
    expect(audit.pending).toBe(true);
    broken = false;
    note('three');
    audit.flush();
    expect(events()).toEqual(['one', 'two', 'three']);
    expect(audit.pending).toBe(false);
    audit.flush();
    note('four');
    expect(events()).toEqual(['one', 'two', 'three', 'four']);
  });

  it('refusals beyond the limit per second wait with their original time and are written together', () => {
    notes(MOST + 2);
    clock.advance(700);
    note('late');
    expect([tries, events().length, audit.pending]).toEqual([MOST, MOST, true]);
    clock.advance(300);
    audit.flush();
    expect(
      rows()
        .slice(MOST - 1)
        .map(({ event, at }) => [event, at - NOON]),
    ).toEqual([
      [`note ${MOST - 1}`, 0],
      [`note ${MOST}`, 0],
      [`note ${MOST + 1}`, 0],
      ['late', 700],
    ]);
    expect(stores.audit.check().problem).toBeNull();
  });

  it('audit rows of refusals are written at once again in the next second, but behind those that wait', () => {
    notes(MOST + 1);
    clock.advance(1000);
    note('behind');
    expect(events()).toHaveLength(MOST);
    audit.flush();
    notes(MOST, 'again');
    expect(events()).toHaveLength(2 * MOST + 2);
    expect(audit.pending).toBe(false);
    note('beyond');
    expect(audit.pending).toBe(true);
  });

  it('audit rows of refusals are written at once when the clock is set back', () => {
    notes(MOST);
    clock.advance(-60_000);
    note('earlier');
    expect(events().at(-1)).toBe('earlier');
  });

  it("refusals beyond the queue's limit are counted, and one row says how many were not kept", () => {
    notes(MOST + Audit.LONGEST_QUEUE + 7);
    clock.advance(1000);
    audit.flush();
    const all = rows();
    expect(all).toHaveLength(MOST + Audit.LONGEST_QUEUE + 1);
    expect(all.at(-2)).toMatchObject({ event: `note ${MOST + Audit.LONGEST_QUEUE - 1}`, at: NOON });
    expect(all.at(-1)).toMatchObject({
      event: 'sys_audit_overflow',
      outcome: 'failure',
      reason: '7 further events not kept',
      at: NOON + 1000,
    });
    note('after');
    expect(events().at(-1)).toBe('after');
  });

  it('audit rows of refusals are written in parts, in their order, and the count of those not kept comes last', () => {
    notes(MOST + Audit.LONGEST_QUEUE + 1);
    const parts: number[] = [];
    while (audit.pending) {
      audit.flush({ most: 2_000 });
      parts.push(events().length);
      // The row `late` is queued behind the waiting rows, so it is written after them.
      if (parts.length === 1) note('late');
    }
    const part = [2_000, 4_000, Audit.LONGEST_QUEUE + 2].map((count) => MOST + count);
    expect(parts).toEqual(part);
    const [last, overflow] = events().slice(-2);
    expect([last, overflow]).toEqual(['late', 'sys_audit_overflow']);
    expect(stores.audit.check().problem).toBeNull();
  });

  it('audit rows of refusals wait for the next flush whole when a part of them cannot be written', () => {
    notes(MOST + 10);
    audit.flush({ most: 4 });
    broken = true;
    expect(() => audit.flush({ most: 4 })).toThrow(Unavailable);
    expect(audit.waiting).toBe(6);
    broken = false;
    audit.flush();
    expect(events()).toEqual(Array.from({ length: MOST + 10 }, (_, row) => `note ${row}`));
  });
});

describe('audit rows of what went well', () => {
  const after = (event: string) => audit.recordAfterwards(event as never, {});
  const turn = () => new Promise(setImmediate);

  it('audit rows of what went well are written once the turn is over, in order of time with those of the turn (contract 2, /audit)', async () => {
    after('authn_token_used');
    clock.advance(1);
    record('user_created');
    note('authz_fail');
    after('authn_token_used');
    expect(events()).toEqual(['user_created', 'authz_fail']);
    clock.advance(1);
    await turn();
    expect(rows().map(({ event, at }) => [event, at - NOON])).toEqual([
      ['user_created', 1],
      ['authz_fail', 1],
      ['authn_token_used', 2],
      ['authn_token_used', 2],
    ]);
    after('later');
    await turn();
    expect(events().at(-1)).toBe('later');
  });

  it('audit rows of what went well are written by a flush of the same turn, as at the end of a server, and once (contract 9)', async () => {
    for (let row = 0; row < MOST + 3; row += 1) after(`use ${row}`);
    expect(events()).toEqual([]);
    audit.flush({ closing: true });
    const all = Array.from({ length: MOST + 3 }, (_, row) => `use ${row}`);
    expect(events()).toEqual(all);
    await turn();
    audit.flush();
    expect(events()).toEqual(all);
  });

  it('audit rows of what went well fail nothing when they cannot be written, and are kept', async () => {
    broken = true;
    after('one');
    await turn();
    expect(audit.pending).toBe(true);
    broken = false;
    audit.flush();
    expect(events()).toEqual(['one']);
  });
});

describe('somebody who watches (contract 2, /events)', () => {
  let reported: string[];
  let wanted: boolean;
  beforeEach(() => {
    reported = [];
    wanted = true;
    audit.watch({
      get wanted() {
        return wanted;
      },
      written: ({ id, event }) => {
        expect(stores.audit.has(id)).toBe(true);
        reported.push(event);
      },
    });
  });

  it('a watcher of the audit trail gets each row once it is in the trail, and none that was rolled back', () => {
    record('user_created');
    expect(() =>
      stores.transaction((tx) => {
        audit.record(tx, 'user_deleted', {});
        throw new Error('undone');
      }),
    ).toThrow('undone');
    note('authz_fail');
    expect(reported).toEqual(['user_created', 'authz_fail']);
  });

  it('a watcher of the audit trail gets waiting rows when they are written', () => {
    broken = true;
    note('authz_fail');
    expect(reported).toEqual([]);
    broken = false;
    audit.flush();
    expect(reported).toEqual(['authz_fail']);
  });

  it('a watcher of the audit trail gets nothing while it wants nothing, and its errors do not affect the writer', () => {
    wanted = false;
    record('user_created');
    expect(reported).toEqual([]);
    audit.watch({
      wanted: true,
      written: () => {
        throw new Error('broken');
      },
    });
    record('user_updated');
    note('authz_fail');
    expect(events()).toEqual(['user_created', 'user_updated', 'authz_fail']);
  });
});

describe('audit rows of repeated events', () => {
  it('repeated events of one account, kind and minute become one row with a count after the first 20 (contract 4)', () => {
    const often = (actor: string) =>
      stores.transaction((tx) => audit.recordOften(tx, 'authn_token_created', { actor, target: 'a token' }));
    for (let made = 0; made < 1_200; made += 1) often('ann');
    often('bob');
    expect(rows().length).toBe(21);
    clock.advance(60_000);
    audit.flush();
    expect(rows().map(({ actor, reason }) => [actor, reason])).toEqual([
      ...Array.from({ length: 20 }, () => ['ann', null]),
      ['bob', null],
      ['ann', '1180 more in this minute'],
    ]);
    often('ann');
    expect(rows().length).toBe(23);
  });
});
