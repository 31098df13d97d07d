import { Unavailable } from '@svc/auth-core';
import { autocommit, hashOf, sampleAccount, sampleApiToken } from '@svc/auth-core/testing';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BACK_OFF_MS, BUSY_MS, BusyTimeout } from '../src/connection/busy-timeout.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();
afterEach(() => vi.useRealTimers());

describe('a database another process is writing to', () => {
  it('reads go on, a change is unavailable and leaves nothing, until the lock is gone (contract 1)', async () => {
    const store = await place().open();
    autocommit(store).accounts.insert(sampleAccount('ann'));
    const other = place().raw();
    other.exec('begin immediate');
    const change = () =>
      store.transaction((tx) => {
        tx.accounts.insert(sampleAccount('bob'));
        tx.apiTokens.insert(sampleApiToken('ci', 'bob'), hashOf('ci'));
      });
    expect(change).toThrow(Unavailable);
    expect(() => autocommit(store).accounts.insert(sampleAccount('bob'))).toThrow(Unavailable);
    expect(store.accounts.list().map(({ name }) => name)).toEqual(['ann']);
    expect(store.ready()).toEqual({ database: true, migrations: true });
    other.exec('rollback');
    change();
    expect(store.accounts.list().map(({ name }) => name)).toEqual(['ann', 'bob']);
  });

  it('a database another process is writing to is waited for once, not once a statement', async () => {
    const store = await place().open();
    place().raw().exec('begin immediate');
    const began = performance.now();
    // If each of these writes waited for the lock, the test would time out.
    for (let nth = 0; nth < 20; nth += 1) {
      expect(() => autocommit(store).accounts.insert(sampleAccount(`user-${nth}`))).toThrow(Unavailable);
    }
    expect(performance.now() - began).toBeGreaterThanOrEqual(BUSY_MS * 0.9);
  });
});

describe('how long a statement waits', () => {
  const busy = new Database.SqliteError('database is locked', 'SQLITE_BUSY');

  it('a statement does not wait after a wait in vain, and waits again after a pause', () => {
    vi.useFakeTimers();
    const database = place().raw();
    const waits = () => database.pragma('busy_timeout', { simple: true });
    const wait = new BusyTimeout(database);
    expect(waits()).toBe(BUSY_MS);
    wait.failed(new Database.SqliteError('disk full', 'SQLITE_FULL'));
    wait.failed(new Error('SQLITE_BUSY'));
    expect(waits()).toBe(BUSY_MS);
    wait.failed(busy);
    vi.advanceTimersByTime(BACK_OFF_MS - 1);
    // A statement that fails during the back-off does not extend the back-off.
    wait.failed(busy);
    expect(waits()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(waits()).toBe(BUSY_MS);
    wait.failed(busy);
    expect(waits()).toBe(0);
  });

  it('the waiting time of a statement has no effect once the database is closed', () => {
    vi.useFakeTimers();
    const database = place().raw();
    new BusyTimeout(database).failed(busy);
    database.close();
    expect(() => vi.advanceTimersByTime(BACK_OFF_MS)).not.toThrow();
  });
});
