import { describe, expect, it } from 'vitest';
import { Audit, actorOf } from '../src/audit.ts';
import type { AuditEvent } from '../src/ports.ts';
import { callerOf, NOON } from './support.ts';

function setUp() {
  const rows: (AuditEvent & { at: number })[] = [];
  const clock = { at: NOON, now: () => clock.at };
  const store = {
    broken: false,
    append(event: AuditEvent, at: number) {
      if (store.broken) throw new Error('disk full');
      rows.push({ ...event, at });
    },
    page: () => [],
    firstBroken: () => null,
  };
  return { rows, clock, store, audit: new Audit(store, clock) };
}

function flush(audit: Audit): void {
  audit.flush();
  audit.flushed();
}

describe('Audit', () => {
  it('(issue: audit trail) records at once, with every member filled in', () => {
    const { rows, audit } = setUp();
    audit.record('user_created', { target: 'u-1' });
    expect(rows).toEqual([
      {
        event: 'user_created',
        outcome: 'success',
        actor: null,
        target: 'u-1',
        address: null,
        requestId: null,
        reason: null,
        at: NOON,
      },
    ]);
    expect(audit.pending).toBe(false);
  });

  it('keeps notes until they are flushed, in order and with the time they were made', () => {
    const { rows, clock, audit } = setUp();
    audit.note('authn_login_fail', { outcome: 'failure', address: '10.0.0.1' });
    clock.at += 700;
    audit.note('authz_fail', { outcome: 'failure', requestId: 'r-1' });
    clock.at += 300;
    expect(rows).toEqual([]);
    expect(audit.pending).toBe(true);
    flush(audit);
    expect(rows.map(({ event, at }) => [event, at - NOON])).toEqual([
      ['authn_login_fail', 0],
      ['authz_fail', 700],
    ]);
    expect(audit.pending).toBe(false);
    flush(audit);
    expect(rows).toHaveLength(2);
  });

  it('keeps the rows when the store cannot take them', () => {
    const { rows, store, audit } = setUp();
    audit.note('authz_fail', { outcome: 'failure' });
    store.broken = true;
    expect(() => audit.flush()).toThrow('disk full');
    expect(audit.pending).toBe(true);
    store.broken = false;
    flush(audit);
    expect(rows).toHaveLength(1);
  });

  it('holds no more than its bound and tells in one row how many it did not keep', () => {
    const { rows, clock, audit } = setUp();
    for (let number = 0; number < Audit.LONGEST_QUEUE + 7; number++) {
      audit.note('authn_login_fail', { outcome: 'failure', reason: `attempt ${number}` });
    }
    clock.at += 1000;
    flush(audit);
    expect(rows).toHaveLength(Audit.LONGEST_QUEUE + 1);
    expect(rows.at(-2)).toMatchObject({ reason: `attempt ${Audit.LONGEST_QUEUE - 1}`, at: NOON });
    expect(rows.at(-1)).toMatchObject({
      event: 'sys_audit_overflow',
      outcome: 'failure',
      reason: '7 further events not kept',
      at: NOON + 1000,
    });
    audit.note('authz_fail', { outcome: 'failure' });
    flush(audit);
    expect(rows).toHaveLength(Audit.LONGEST_QUEUE + 2);
    expect(rows.at(-1)).toMatchObject({ event: 'authz_fail' });
  });

  it('names the actor and the request a caller came with', () => {
    const caller = callerOf('Admin', undefined, { from: { address: '10.0.0.9', requestId: 'r-7' } });
    expect(actorOf(caller)).toEqual({ actor: 'Admin-id', address: '10.0.0.9', requestId: 'r-7' });
  });
});
