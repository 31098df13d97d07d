import { Audit } from '@svc/auth-core';
import {
  autocommit,
  callerOf,
  type FakeClock,
  fakeClock,
  idOf,
  NOON,
  refusalOf,
  sampleAccount,
  sampleEntry,
  seededRandom,
} from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AuditQuery, AuditTrail } from '../src/audit/audit-trail.ts';

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

describe('the audit trail as a file (contract 2, /audit)', () => {
  const all = (query: AuditQuery = {}) => [...trail.export(admin, query, 'csv')].flat();

  it('the audit trail as a file is for those who read its pages, and has what they show, and a row about itself (contract 2, /audit)', () => {
    expect(refusalOf(() => trail.export(callerOf('Member'), {}, 'csv')).code).toBe('insufficient_role');
    expect(refusalOf(() => trail.export(callerOf('Admin', ['read']), {}, 'csv')).code).toBe(
      'insufficient_scope',
    );
    for (let row = 0; row < 1203; row += 1) append(`row ${row}`, NOON);
    const rows = all();
    expect(rows.slice(0, 500)).toEqual(page({ limit: 500 }).items);
    expect(rows).toHaveLength(1204);
    expect(rows[0]).toMatchObject({
      event: 'sensitive_read',
      actor: admin.account.id,
      reason: 'exported as csv',
    });
    expect(all({ event: 'row 7' })).toMatchObject([{ event: 'row 7' }]);
  });
});

describe('the check of the chain (contract 2, /audit)', () => {
  it('the check of the chain is for Admins with the scope `admin` (contract 2, /audit)', () => {
    expect(refusalOf(() => trail.verify(callerOf('Member'))).code).toBe('insufficient_role');
    expect(refusalOf(() => trail.verify(callerOf('Admin', ['read']))).code).toBe('insufficient_scope');
    append('one', NOON);
    expect(trail.verify(admin).next()).toMatchObject({ done: true, value: { problem: null } });
  });
});

describe('a page of the audit trail (contract 2, /audit)', () => {
  it('a page of the audit trail is for Admins with the scope `admin` (contract 2, /audit)', () => {
    expect(refusalOf(() => trail.page(callerOf('Member'), {})).code).toBe('insufficient_role');
    expect(refusalOf(() => trail.page(callerOf('Admin', ['read']), {})).code).toBe('insufficient_scope');
    expect(page()).toEqual({ items: [], next: null });
  });

  it('a page of the audit trail has the e-mail of the actor, as it is now, and none for an account that was deleted (contract 2, /audit)', () => {
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

  it('a page of the audit trail has what waited to be written, and names where the next begins (contract 2, /audit)', () => {
    for (let row = 0; row < Audit.NOTES_A_SECOND + 3; row += 1)
      audit.recordBestEffort(`row ${row}` as never, {});
    expect(page({ limit: 500 }).items).toHaveLength(Audit.NOTES_A_SECOND + 3);
    expect(flushes).toBe(1);
    const first = page({ limit: 50 });
    expect(first.next).toBe(first.items.at(-1)?.id);
    const second = page({ limit: 50, before: first.next as string });
    expect(second).toMatchObject({ items: { length: 3 }, next: null });
  });

  it('a page of the audit trail is of a person, an event and a time, and says when the search goes on (contract 2, /audit)', () => {
    const { accounts } = autocommit(stores);
    accounts.insert(sampleAccount('ann'));
    append('by ann', NOON, idOf('ann'));
    append('by somebody', NOON + 1, 'somebody@svc.local');
    append('by none', NOON + 2);
    const events = (query: AuditQuery) => trail.page(admin, query).items.map(({ event }) => event);
    expect(events({ actor: idOf('ann') })).toEqual(['by ann']);
    expect(events({ actor: 'ANN@svc.local' })).toEqual(['by ann']);
    expect(events({ actor: 'somebody@svc.local' })).toEqual(['by somebody']);
    expect(events({ actor: 'nobody@svc.local' })).toEqual([]);
    expect(events({ event: 'by none' })).toEqual(['by none']);
    const second = new Date(NOON + 1).toISOString();
    expect(events({ from: second })).toEqual(['by none', 'by somebody']);
    expect(events({ to: second })).toEqual(['by ann']);
    expect(events({ from: second, to: second })).toEqual([]);
  });

  it.each(['from', 'to'])('%s that is no time is refused by name', (field) => {
    for (const text of ['', 'yesterday', '2026-13-01', '1', '2026-01-01T00:00:00'])
      expect(refusalOf(() => trail.page(admin, { [field]: text })).fields).toEqual({
        message: `${field}: is not an ISO 8601 time`,
      });
  });

  it('a page of the audit trail reads a limited number of rows, whatever it finds (contract 2, /audit)', () => {
    for (let row = 0; row < 10_003; row += 1) append(`row ${row}`, NOON);
    const first = trail.page(admin, { event: 'row 0' });
    expect(first).toEqual({ items: [], next: expect.any(String) });
    expect(trail.page(admin, { event: 'row 0', before: first.next as string })).toMatchObject({
      items: [{ event: 'row 0' }],
      next: null,
    });
  });

  it('a page before a row that does not exist is refused, and the refusal names the parameter (contract 2, /audit)', () => {
    const refusal = refusalOf(() => page({ before: idOf('nobody') }));
    expect([refusal.status, refusal.fields]).toEqual([
      400,
      { message: 'before: is not a row of the audit trail' },
    ]);
  });
});

describe('retention (contract 2, /audit)', () => {
  it('the retention of audit rows removes older ones, leaves a row about it, and the chain holds (contract 2, /audit)', () => {
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

  it('the retention of audit rows continues in parts (contract 2, /audit)', () => {
    for (let row = 0; row < 2500; row += 1) append(`row ${row}`, 1);
    expect(trail.removeOld()).toBe(true);
    expect(trail.removeOld()).toBe(false);
    expect(page().items.map(({ reason }) => reason?.split(' ', 1)[0])).toEqual(['500', '2000']);
    expect(stores.audit.check()).toMatchObject({ removed: 2500, problem: null });
  });

  it('the retention of audit rows names a row that does not fit before it removes it (contract 2, /audit)', () => {
    for (const name of ['a', 'b', 'c']) append(name, 1);
    stores.transaction((tx) => {
      const removeBefore = tx.audit.removeBefore.bind(tx.audit);
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
