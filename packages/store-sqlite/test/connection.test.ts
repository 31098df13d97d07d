import { Conflict, Unavailable } from '@svc/auth-core';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../src/connection/connection.ts';
import { storeFailure } from '../src/connection/failures.ts';
import type { NoParams } from '../src/connection/statement.ts';

const INSERT = 'insert into settings (key, value) values (@key, @key)';

let database: Database.Database;

beforeEach(() => {
  database = new Database(':memory:');
  database.exec('create table settings (key text primary key, value text) strict');
});

afterEach(() => {
  database.close();
});

describe('failures of SQLite', () => {
  it.each([
    ['SQLITE_CONSTRAINT_UNIQUE', Conflict],
    ['SQLITE_CONSTRAINT_PRIMARYKEY', Conflict],
    ['SQLITE_CONSTRAINT_FOREIGNKEY', Conflict],
    ['SQLITE_CONSTRAINT_NOTNULL', Unavailable],
    ['SQLITE_BUSY', Unavailable],
    ['SQLITE_BUSY_SNAPSHOT', Unavailable],
    ['SQLITE_IOERR_FSYNC', Unavailable],
    ['SQLITE_CORRUPT', Unavailable],
    ['SQLITE_FULL', Unavailable],
  ])('%s is one of the two errors of the ports', (code, kind) => {
    const error = storeFailure(new Database.SqliteError('with details', code), database);
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).not.toContain('details');
  });

  it('failures of SQLite keep their cause', () => {
    const cause = new Database.SqliteError('disk I/O error', 'SQLITE_IOERR');
    expect(storeFailure(cause, database)).toMatchObject({ message: 'database: SQLITE_IOERR', cause });
  });

  it('an error that does not come from SQLite is passed on unchanged', () => {
    const bug = new TypeError('x is not a function');
    expect(storeFailure(bug, database)).toBe(bug);
  });
});

describe('a transaction SQLite ended by itself', () => {
  it('a transaction SQLite ended by itself writes nothing more and does not pretend to have committed', () => {
    const connection = new Connection(database);
    const insert = connection.prepare<{ key: string }, never>(INSERT);
    const work = () =>
      connection.transaction(() => {
        insert.run({ key: 'before' });
        database.exec('rollback');
        expect(() => insert.run({ key: 'after' })).toThrow(Unavailable);
        expect(() => connection.beforePendingWrite()).toThrow(Unavailable);
      });
    expect(work).toThrow(Unavailable);
    expect(database.prepare('select * from settings').all()).toEqual([]);
    connection.transaction(() => insert.run({ key: 'next' }));
    expect(database.prepare('select key from settings').pluck().all()).toEqual(['next']);
  });
});

describe('a full disk', () => {
  it('a full disk makes the connection unable to write until a write succeeds again (contract 2)', () => {
    const connection = new Connection(database);
    expect(connection.canWrite()).toBe(true);
    connection.failure(new Database.SqliteError('database or disk is full', 'SQLITE_FULL'));
    database.pragma('query_only = on');
    expect(connection.canWrite()).toBe(false);
    database.pragma('query_only = off');
    expect(connection.canWrite()).toBe(true);
  });
});

describe('a transaction in which the database failed', () => {
  it('a transaction in which the database failed commits nothing, even where the failure was caught', () => {
    const connection = new Connection(database);
    database.exec("create trigger no before delete on settings begin select raise(abort, 'no'); end");
    const insert = connection.prepare<{ key: string }, never>(INSERT);
    const remove = connection.prepare<NoParams, never>('delete from settings');
    const work = () =>
      connection.transaction(() => {
        insert.run({ key: 'before' });
        expect(() => remove.run({})).toThrow(Unavailable);
        expect(() => insert.run({ key: 'after' })).toThrow(Unavailable);
      });
    expect(work).toThrow(Unavailable);
    expect(database.prepare('select * from settings').all()).toEqual([]);
    connection.transaction(() => insert.run({ key: 'next' }));
    expect(database.prepare('select key from settings').pluck().all()).toEqual(['next']);
  });
});

describe('what is remembered', () => {
  it('a row in memory is dropped by a rollback only when something had changed', () => {
    const connection = new Connection(database);
    const forget = vi.fn();
    connection.onInvalidate(forget);
    const failing = (work: () => void) => () =>
      connection.transaction(() => {
        work();
        throw new Error('no');
      });
    expect(failing(() => undefined)).toThrow('no');
    expect(forget).not.toHaveBeenCalled();
    expect(failing(() => connection.beforePendingWrite())).toThrow('no');
    expect(forget).toHaveBeenCalledOnce();
  });
});

it('a statement that does not fit the tables is refused when it is used', () => {
  const connection = new Connection(database);
  const statement = connection.prepare<NoParams, unknown>('select colour from settings');
  expect(() => statement.get({})).toThrow(Unavailable);
});
