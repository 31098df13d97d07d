import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { autocommit, idOf, sampleEntry, silentLog } from '@svc/auth-core/testing';
import type Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { MIGRATIONS } from '../src/schema/migrations/index.ts';
import { synchroniseSchema } from '../src/schema/synchronise.ts';
import { eachTestItsPlace } from './place.ts';
import { finished, startStore } from './processes/start.ts';

const place = eachTestItsPlace();
const keyFile = () => join(place().folder, 'audit-key');

function fill(store: SqliteStore, rows: number, from = 1): void {
  store.transaction(({ audit }) => {
    for (let row = from; row < from + rows; row += 1)
      audit.append(sampleEntry(`row ${row}`, { at: row, id: idOf(`row ${row}`) }));
  });
}

/** Creates a database as the version before audit keys did, with two audit rows of that version. */
async function previousVersion(): Promise<Database.Database> {
  rmSync(keyFile());
  const raw = place().raw();
  const migrations = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0005'));
  await synchroniseSchema(raw, { autoMigrate: true, migrations, log: silentLog() });
  const first = '24f49c0df52f6fed7df00cc4ef1574c50581a266cc4c125778aac929be5a2a39';
  const second = '0d4af00e37039e718a6888366d5a4a297ee2e6b191cb24d1fe61515133c7bf8d';
  const insert = raw.prepare('insert into audit values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const [one, two] = ['7d1f0a3c-52be-4c7e-9a51-0f3f6f0a8e11', '0b9a7c66-1f0d-4e0a-8b1b-d6a1b2c3d4e5'];
  const start = '0'.repeat(64);
  const none = [null, null, null, null, null];
  insert.run(one, 1_700_000_000_000, 'authn_login_success', 'success', ...none, first, start);
  const filled = ['ann', 'bob', '10.0.0.1', 'r-1', 'rôle\u0000 "too" low 📵'];
  insert.run(two, 1_700_000_000_001, 'authz_fail', 'failure', ...filled, second, first);
  return raw;
}

describe('rows of a version whose chain had no key (contract 2, /audit)', () => {
  it('rows of a version whose chain had no key are kept, hold, and the chain goes on with a key (contract 2, /audit)', async () => {
    await previousVersion();
    const store = await place().open();
    expect(store.audit.check()).toMatchObject({ head: { count: 2 }, unkeyed: 2, problem: null });
    fill(store, 2);
    const [newest] = store.audit.page(null, 1);
    expect(store.audit.check()).toEqual({
      head: { count: 4, hash: newest?.hash },
      removed: 0,
      unkeyed: 2,
      problem: null,
    });
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(existsSync(`${keyFile()}.new`)).toBe(false);
    store.close();
    expect((await place().open()).audit.check().problem).toBeNull();
  });

  it('rows of a version whose chain had no key cannot be changed from then on, and none can be added to them (contract 2, /audit)', async () => {
    const raw = await previousVersion();
    const store = await place().open();
    fill(store, 1);
    for (const spoil of [
      "update audit set reason = 'nothing' where number = 2",
      "update audit set peer = '10.0.0.1' where number = 1",
      'delete from audit where number = 1',
      "update audit_marks set number = 3 where name = 'legacy'",
      "delete from audit_marks where name = 'legacy'",
    ]) {
      raw.exec(spoil);
      expect(store.audit.check().problem, spoil).not.toBeNull();
    }
  });

  it('rows of a version whose chain had no key are taken over once: a start that was cut short is finished by the next, with the same key (contract 2, /audit)', async () => {
    await previousVersion();
    (await place().open()).close();
    renameSync(keyFile(), `${keyFile()}.new`);
    const store = await place().open();
    expect(store.audit.check().problem).toBeNull();
    expect(existsSync(keyFile())).toBe(true);
    expect(existsSync(`${keyFile()}.new`)).toBe(false);
  });
});

describe('what was done past the store shows: (contract 2, /audit)', () => {
  const spoiled = async (...spoil: string[]) => {
    const store = await place().open();
    fill(store, 5);
    expect(store.audit.check().problem).toBeNull();
    const raw = place().raw();
    for (const each of spoil) raw.exec(each);
    const before = store.audit.check().problem;
    expect(before).not.toBeNull();
    // The problem is still found after further rows were appended, and also after a restart.
    fill(store, 2, 20);
    expect(store.audit.check().problem).not.toBeNull();
    store.close();
    const again = await place().open();
    fill(again, 1, 30);
    expect(again.audit.check().problem).not.toBeNull();
    return before;
  };

  it.each([
    ['a row that was cut off', ['delete from audit where number = 5']],
    [
      'a row that was cut off, with what SQLite knows of it',
      ['delete from audit where number = 5', "update sqlite_sequence set seq = 4 where name = 'audit'"],
    ],
    [
      'a head that was set back to the row before',
      [
        `update audit_marks set number = 4, hash = (select hash from audit where number = 4) where name = 'head'`,
        'delete from audit where number = 5',
        "update sqlite_sequence set seq = 4 where name = 'audit'",
      ],
    ],
    ['marks that were taken away', ['delete from audit where number > 3', 'delete from audit_marks']],
    ['an anchor that was put in', ["insert into audit_marks values ('anchor', 2, 'x', 'y')"]],
    [
      'the oldest rows taken away, with an anchor',
      [
        `insert into audit_marks select 'anchor', 2, hash, 'y' from audit where number = 2`,
        'delete from audit where number <= 2',
      ],
    ],
    ['a row in the place of another', ['update audit set number = 9 where number = 2']],
  ])('%s', async (_, spoil) => {
    await spoiled(...spoil);
  });

  it('another key in the place of the file', async () => {
    const store = await place().open();
    fill(store, 2);
    store.close();
    writeFileSync(keyFile(), '0b'.repeat(32));
    const other = await place().open();
    expect(other.audit.check().problem).toContain('was not made with its key');
    expect(place().log.messages('error')).toEqual([expect.stringContaining('audit verify')]);
  });
});

describe('the key of the chain (contract 2, /audit)', () => {
  it('the key of the chain is the same for all processes that start first together, on rows from before it (contract 2, /audit)', {
    timeout: 30_000,
  }, async () => {
    await previousVersion();
    await Promise.all([1, 2, 3].map(() => finished(startStore('audit', place().file, '5'))));
    const store = await place().open();
    expect(store.audit.check()).toMatchObject({ head: { count: 17 }, unkeyed: 2, problem: null });
  });

  it('the key of the chain stops the start if it cannot be used, with the name of its file (contract 2, /audit)', async () => {
    (await place().open()).close();
    writeFileSync(keyFile(), 'half a key');
    await expect(place().open()).rejects.toThrow(keyFile());
    expect(readFileSync(keyFile(), 'utf8')).toBe('half a key');
  });
});

describe('the chain, checked in steps (contract 2, /audit)', () => {
  const finish = (steps: ReturnType<SqliteStore['audit']['checkInSteps']>) => {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  };

  it('the chain that is checked in steps holds when rows come and go between them (contract 2, /audit)', async () => {
    const store = await place().open();
    fill(store, 2500);
    const steps = store.audit.checkInSteps();
    expect(steps.next()).toEqual({ done: false, value: 50 });
    fill(store, 700, 3000);
    autocommit(store).audit.removeBefore(1501, 2000);
    expect(finish(steps)).toEqual(store.audit.check());
    expect(store.audit.check()).toMatchObject({ removed: 1500, head: { count: 3200 }, problem: null });
  });

  it.each([
    ["update audit set reason = 'x' where number = 1", idOf('row 1')],
    ["update audit set reason = 'x' where number = 2100", idOf('row 2100')],
    ['delete from audit where number = 1000', idOf('row 1001')],
    ['delete from audit where number = 2500', 'the end of the chain is missing'],
    ["update audit_marks set number = 1500 where name = 'head'", 'was not made with its key'],
  ])('the chain that is checked in steps shows %s (contract 2, /audit)', async (spoil, problem) => {
    const store = await place().open();
    fill(store, 2500);
    place().raw().exec(spoil);
    const check = finish(store.audit.checkInSteps());
    expect(check.problem).toContain(problem);
    expect(check).toEqual(store.audit.check());
  });

  it('the chain that is checked in steps shows a row that was put back where retention had removed it (contract 2, /audit)', async () => {
    const store = await place().open();
    fill(store, 5);
    const raw = place().raw();
    raw.exec('create table old as select * from audit where number = 2');
    autocommit(store).audit.removeBefore(4, 9);
    raw.exec('insert into audit select * from old');
    expect(finish(store.audit.checkInSteps()).problem).toContain(idOf('row 2'));
  });
});
