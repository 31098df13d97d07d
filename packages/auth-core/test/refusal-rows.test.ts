import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Audit } from '../src/audit.ts';
import { Unavailable } from '../src/errors.ts';
import { type CountedRefusal, EventCounter } from '../src/event-counter.ts';
import type { AuditEntry, Stores, StoreTransaction } from '../src/ports/index.ts';
import { type FakeClock, fakeClock, seededRandom } from '../src/testing/index.ts';
import { NOON } from '../src/testing/support.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let stores: Stores;
let audit: Audit;
let broken: boolean;

beforeEach(() => {
  clock = fakeClock(NOON);
  broken = false;
  const memory = memoryStores();
  const failing = (tx: StoreTransaction): StoreTransaction => {
    const append = (...entries: AuditEntry[]) => {
      if (broken) throw new Unavailable('disk full');
      tx.audit.append(...entries);
    };
    return { ...tx, audit: { ...tx.audit, append } };
  };
  stores = { ...memory, transaction: (work) => memory.transaction((tx) => work(failing(tx))) };
  audit = new Audit(stores, clock, seededRandom());
});

const rows = () => stores.audit.page(null, 1_000_000).reverse();
const reasons = () => rows().map(({ reason }) => reason);

let serial = 0;
const refuse = (change: Partial<CountedRefusal> = {}, event = 'authn_credential_fail') => {
  serial += 1;
  audit.recordRefusal(event as never, {
    actor: null,
    peer: '192.0.2.1',
    address: `10.${(serial >> 16) & 255}.${(serial >> 8) & 255}.${serial & 255}`,
    route: 'GET /svc/api/auth/me',
    requestId: `r-${serial}`,
    reason: `refusal ${serial}`,
    ...change,
  });
};
/** Advances the clock by a minute, so that the counts of the last minute become rows. */
const nextMinute = () => {
  clock.advance(MINUTE);
  audit.flush();
};

describe('refusals of strangers', () => {
  it('refusals of unauthenticated clients are counted by the sender where a trusted proxy tells it, and keep the proxy’s address (contract 5)', () => {
    for (let turn = 0; turn < 20; turn += 1) {
      refuse({ sender: '198.51.100.1' });
      refuse({ sender: '198.51.100.2' });
    }
    expect(rows().map(({ peer }) => peer)).toEqual(['192.0.2.1', '192.0.2.1']);
    nextMinute();
    expect(reasons().slice(2)).toEqual(['19 more in this minute', '19 more in this minute']);
  });

  it('refusals of unauthenticated clients have one row a socket address, route and event at once, and one with their count after the minute', () => {
    const first = serial + 1;
    for (let turn = 0; turn < 6000; turn += 1) refuse();
    expect(rows()).toHaveLength(1);
    expect(rows()[0]).toMatchObject({
      event: 'authn_credential_fail',
      outcome: 'failure',
      actor: null,
      target: 'GET /svc/api/auth/me',
      requestId: `r-${first}`,
      reason: `refusal ${first}`,
    });
    audit.flush();
    expect(rows()).toHaveLength(1);
    nextMinute();
    expect(rows()).toHaveLength(2);
    expect(rows()[1]).toMatchObject({
      event: 'authn_credential_fail',
      outcome: 'failure',
      actor: null,
      target: 'GET /svc/api/auth/me',
      address: null,
      requestId: null,
      reason: '5999 more in this minute',
      at: NOON + MINUTE - 1,
    });
    nextMinute();
    expect(rows()).toHaveLength(2);
  });

  it('refusals of another address, route or event get rows of their own, and a single refusal has no count', () => {
    refuse();
    refuse({ peer: '192.0.2.2' });
    refuse({ route: 'GET /svc/api/users' });
    refuse({}, 'authz_fail');
    expect(rows()).toHaveLength(4);
    nextMinute();
    expect(rows()).toHaveLength(4);
    refuse();
    expect(rows()).toHaveLength(5);
  });

  it('refusals of unauthenticated clients keep the account that was tried in their first row only', () => {
    refuse({ triedAccount: 'ann', route: null }, 'authn_login_fail');
    refuse({ triedAccount: 'bob', route: null }, 'authn_login_fail');
    nextMinute();
    expect(rows().map(({ actor, reason }) => [actor, reason?.replace(/\d+/, 'n')])).toEqual([
      ['ann', 'refusal n'],
      [null, 'n more in this minute'],
    ]);
  });

  it('refusals from many addresses are limited, the rest becomes one number, and known callers keep their rows', () => {
    const most = EventCounter.MOST_UNAUTHENTICATED;
    for (let peer = 0; peer < 5000; peer += 1) for (const _ of [1, 2]) refuse({ peer: `peer ${peer}` });
    refuse({ actor: 'ann' }, 'authz_fail');
    clock.advance(1000);
    audit.flush();
    expect(rows()).toHaveLength(most + 1);
    expect(rows().at(-1)).toMatchObject({ event: 'authz_fail', actor: 'ann' });
    nextMinute();
    expect(rows()).toHaveLength(2 * most + 2);
    expect(rows().at(-1)).toMatchObject({
      event: 'sys_audit_overflow',
      outcome: 'failure',
      reason: `${2 * (5000 - most)} more refusals of strangers in this minute`,
    });
  });
});

describe('refusals of callers', () => {
  it('refusals of callers are counted by caller, whatever address they come from', () => {
    for (let turn = 0; turn < 10; turn += 1) refuse({ actor: 'ann', peer: `peer ${turn}` }, 'authz_fail');
    refuse({ actor: 'bob' }, 'authz_fail');
    nextMinute();
    expect(rows().map(({ actor, target }) => [actor, target])).toEqual([
      ['ann', 'GET /svc/api/auth/me'],
      ['bob', 'GET /svc/api/auth/me'],
      ['ann', 'GET /svc/api/auth/me'],
    ]);
    expect(reasons().at(-1)).toBe('9 more in this minute');
  });
});

describe('rows of refusals', () => {
  it("the rows of a minute's refusals precede what happens in the next minute", () => {
    refuse();
    refuse();
    clock.advance(MINUTE);
    audit.recordBestEffort('later' as never, {});
    refuse();
    expect(rows().map(({ event }) => event)).toEqual([
      'authn_credential_fail',
      'authn_credential_fail',
      'later',
      'authn_credential_fail',
    ]);
    const times = rows().map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('rows of refusals are written when the server closes, the open minute included', () => {
    refuse();
    refuse();
    audit.flush({ closing: true });
    expect(rows().map(({ reason, at }) => [reason?.replace(/l \d+/, 'l'), at])).toEqual([
      ['refusal', NOON],
      ['1 more in this minute', NOON],
    ]);
    expect(audit.pending).toBe(false);
  });

  it('rows of refusals fail no request when they cannot be written, and are kept', () => {
    broken = true;
    refuse();
    refuse();
    clock.advance(MINUTE);
    expect(() => audit.flush()).toThrow(Unavailable);
    refuse();
    broken = false;
    audit.flush();
    expect(rows()).toHaveLength(3);
    expect(stores.audit.check().problem).toBeNull();
  });

  it('rows of refusals stay when the transaction they were noted in is taken back', () => {
    const work = () =>
      stores.transaction(() => {
        refuse();
        throw new Error('no');
      });
    expect(work).toThrow('no');
    expect(rows()).toHaveLength(1);
  });

  it('rows of refusals start again when the clock is set back', () => {
    refuse();
    refuse();
    clock.advance(-10 * MINUTE);
    refuse();
    expect(rows()).toHaveLength(3);
    expect(rows().map(({ at }) => at - NOON)).toEqual([0, -10 * MINUTE, -10 * MINUTE]);
  });

  it('rows of refusals tell of every refusal, and are bounded (property)', () => {
    const anyRefusal = fc.record({
      actor: fc.constantFrom(null, 'ann', 'bob'),
      peer: fc.integer({ min: 0, max: 300 }).map((number) => `peer ${number}`),
      event: fc.constantFrom('authn_credential_fail', 'authz_fail'),
      minutes: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1),
    });
    fc.assert(
      fc.property(fc.array(anyRefusal, { maxLength: 600, size: 'max' }), (refusals) => {
        const local = memoryStores();
        const time = fakeClock(NOON);
        const trail = new Audit(local, time, seededRandom());
        for (const { event, minutes, ...who } of refusals) {
          time.advance(minutes * MINUTE);
          trail.recordRefusal(event, { ...who, address: null, route: null, requestId: null, reason: 'one' });
        }
        trail.flush({ closing: true });
        const written = local.audit.page(null, 1_000_000);
        const reported = written.map(({ reason }) =>
          reason === 'one' ? 1 : Number.parseInt(reason ?? '', 10),
        );
        expect(reported.reduce((sum, count) => sum + count, 0)).toBe(refusals.length);
        const inMinute = new Map<number, number>();
        for (const { at } of written) {
          const minute = Math.floor(at / MINUTE);
          inMinute.set(minute, (inMinute.get(minute) ?? 0) + 1);
        }
        for (const count of inMinute.values()) expect(count).toBeLessThanOrEqual(210);
      }),
      { numRuns: 50 },
    );
  });
});
