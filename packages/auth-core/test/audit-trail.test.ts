import { beforeEach, describe, expect, it } from 'vitest';
import { Audit } from '../src/audit.ts';
import { AuditTrail } from '../src/flows/audit-trail.ts';
import {
  autocommit,
  type FakeClock,
  fakeClock,
  idOf,
  memoryStores,
  sampleAccount,
  sampleEntry,
  seededRandom,
} from '../src/testing/index.ts';
import { callerOf, NOON, refusalOf } from './support.ts';

const DAY = 24 * 60 * 60 * 1000;
const admin = callerOf('Admin');

let clock: FakeClock;
let stores: ReturnType<typeof memoryStores>;
let audit: Audit;
let trail: AuditTrail;
let flushes: number;

beforeEach(() => {
  clock = fakeClock(NOON);
  stores = memoryStores();
  audit = new Audit(stores, clock, seededRandom());
  flushes = 0;
  const flush = () => {
    flushes += 1;
    audit.flush();
  };
  trail = new AuditTrail({ stores, clock, audit, flush }, { retentionDays: () => 365 });
});

const append = (name: string, at: number, actor: string | null = null) =>
  autocommit(stores).audit.append(sampleEntry(name, { at, actor }));
const page = (query: { before?: string; limit?: number } = {}) => trail.page(admin, query);

describe('(contract 2, /audit) a page of the audit trail', () => {
  it('is for Admins with the scope `admin`', () => {
    expect(refusalOf(() => trail.page(callerOf('Member'), {})).code).toBe('insufficient_role');
    expect(refusalOf(() => trail.page(callerOf('Admin', ['read']), {})).code).toBe('insufficient_scope');
    expect(page()).toEqual({ items: [], next: null });
  });

  it('has the e-mail of the actor, as it is now, and none for an account that was deleted', () => {
    const { accounts } = autocommit(stores);
    for (const name of ['ann', 'bob']) accounts.insert(sampleAccount(name));
    for (const name of ['ann', 'bob', 'nobody']) append(`by ${name}`, NOON, idOf(name));
    append('by none', NOON);
    accounts.remove(idOf('bob'));
    expect(page().items.map(({ event, actor, actorEmail }) => [event, actor, actorEmail])).toEqual([
      ['by none', null, null],
      ['by nobody', idOf('nobody'), null],
      ['by bob', idOf('bob'), null],
      ['by ann', idOf('ann'), 'ann@svc.local'],
    ]);
  });

  it('has what waited to be written, and names where the next begins', () => {
    for (let row = 0; row < Audit.NOTES_A_SECOND + 3; row += 1) audit.recordBestEffort(`row ${row}`, {});
    expect(page({ limit: 500 }).items).toHaveLength(Audit.NOTES_A_SECOND + 3);
    expect(flushes).toBe(1);
    const first = page({ limit: 50 });
    expect(first.next).toBe(first.items.at(-1)?.id);
    const second = page({ limit: 50, before: first.next as string });
    expect(second).toMatchObject({ items: { length: 3 }, next: null });
  });

  it('before a row that is none is refused by name', () => {
    const refusal = refusalOf(() => page({ before: idOf('nobody') }));
    expect([refusal.status, refusal.fields]).toEqual([
      400,
      { message: 'before: is no row of the audit trail' },
    ]);
  });
});

describe('(contract 2, /audit) retention', () => {
  it('removes what is older, leaves a row about it, and the chain holds', () => {
    append('old', NOON - 366 * DAY);
    append('older than it looks', NOON - 365 * DAY - 1);
    append('kept', NOON - 365 * DAY);
    expect(trail.removeOld()).toBe(false);
    expect(page().items.map(({ event, outcome, reason }) => [event, outcome, reason])).toEqual([
      ['sys_audit_retention', 'success', '2 rows from before 2029-01-01T12:00:00.000Z removed'],
      ['kept', 'success', null],
    ]);
    expect(stores.audit.check()).toMatchObject({ removed: 2, problem: null });
    expect(trail.removeOld()).toBe(false);
    expect(page().items).toHaveLength(2);
  });

  it('goes on in parts', () => {
    for (let row = 0; row < 2500; row += 1) append(`row ${row}`, 1);
    expect(trail.removeOld()).toBe(true);
    expect(trail.removeOld()).toBe(false);
    expect(page().items.map(({ reason }) => reason?.split(' ', 1)[0])).toEqual(['500', '2000']);
    expect(stores.audit.check()).toMatchObject({ removed: 2500, problem: null });
  });

  it('names the row that did not fit before it goes', () => {
    for (const name of ['a', 'b', 'c']) append(name, 1);
    const { removeBefore } = stores.transaction((tx) => tx.audit);
    stores.transaction((tx) => {
      tx.audit.removeBefore = (time, most) => ({
        ...removeBefore(time, most),
        problem: 'row b does not follow',
      });
    });
    trail.removeOld();
    expect(page().items[0]).toMatchObject({
      event: 'sys_audit_retention',
      outcome: 'failure',
      reason: expect.stringMatching(/^3 rows .* removed; row b does not follow$/),
    });
  });
});
