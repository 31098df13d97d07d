import { existsSync } from 'node:fs';
import {
  autocommit,
  fakeClock,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleSignIn,
  silentLog,
} from '@svc/auth-core/testing';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { SchemaMismatch } from '../src/index.ts';
import { MIGRATIONS, type Migrations } from '../src/schema/migrations/index.ts';
import { synchroniseSchema } from '../src/schema/synchronise.ts';
import { eachTestItsPlace } from './place.ts';
import { finished, startStore } from './processes/start.ts';

const place = eachTestItsPlace();
const LOGGED = ['Syncing database schema', 'Database schema in sync'];

const NEWER: Migrations = { ...MIGRATIONS, '9998-colour': 'alter table teams add column colour text' };
const NOW = Object.keys(MIGRATIONS).sort();

async function synchronise(
  database: Database.Database,
  migrations: Migrations = MIGRATIONS,
  autoMigrate = true,
) {
  const log = silentLog();
  await synchroniseSchema(database, { autoMigrate, migrations, log });
  return log.messages('info');
}

const history = (database: Database.Database) =>
  database.prepare('select name from kysely_migration order by name').pluck().all();

describe('at start (specification 9.1.6)', () => {
  it('an empty file gets its tables, and says so', async () => {
    const store = await place().open();
    expect(place().log.messages()).toEqual(LOGGED);
    expect(store.accounts.isEmpty()).toBe(true);
    expect(history(place().raw())).toEqual(NOW);
  });

  it('a second start says the same and changes nothing', async () => {
    (await place().open()).close();
    place().log.clear();
    const version = (name: string) => place().raw().pragma(name, { simple: true });
    expect(version('user_version')).toBe(version('schema_version'));
    const before = place().raw().prepare('select * from sqlite_schema').all();
    (await place().open()).close();
    expect(place().log.messages()).toEqual(LOGGED);
    expect(place().raw().prepare('select * from sqlite_schema').all()).toEqual(before);
  });

  it('the tables that Litestream keeps in the database stay, and do not count as a difference (specification 9.1.6)', async () => {
    const store = await place().open();
    const raw = place().raw();
    raw.exec(`
      create table _litestream_lock (id integer);
      create table _litestream_seq (id integer primary key, seq integer);
      insert into _litestream_seq values (1, 7)`);
    expect(store.ready()).toEqual({ database: true, migrations: true });
    store.close();
    const again = await place().open();
    expect(again.ready()).toEqual({ database: true, migrations: true });
    again.close();
    // A push, which deletes unknown tables, does not delete Litestream's tables.
    raw.exec('delete from kysely_migration; alter table teams add column colour text');
    await synchronise(raw);
    expect(raw.prepare('select * from _litestream_seq').all()).toEqual([{ id: 1, seq: 7 }]);
    expect(raw.prepare('select * from _litestream_lock').all()).toEqual([]);
  });

  it('a start applies pending migrations, and keeps the data (specification 9.1.6)', async () => {
    const store = await place().open();
    autocommit(store).teams.insert({ id: '1', name: 'Lab' });
    store.close();
    const raw = place().raw();
    expect(await synchronise(raw, NEWER)).toEqual(LOGGED);
    expect(raw.prepare('select * from teams').all()).toEqual([{ id: '1', name: 'Lab', colour: null }]);
    expect(history(raw)).toEqual([...NOW, '9998-colour']);
  });

  it('sign-ins from before they knew their team are kept, and name none', async () => {
    const raw = place().raw();
    const before = Object.entries(MIGRATIONS).filter(([name]) => name < '0004');
    await synchronise(raw, Object.fromEntries(before));
    raw
      .prepare(
        `insert into accounts (id, email, email_key, name, role, status, access_key, created_at)
         values (@id, @email, @email, @name, @role, @status, @accessKey, @createdAt)`,
      )
      .run(sampleAccount('ann'));
    raw
      .prepare(
        `insert into sign_ins (id, account_id, hash, created_at, last_seen_at, expires_at)
         values (@id, @accountId, @hash, @createdAt, @lastSeenAt, @expiresAt)`,
      )
      .run({ ...sampleSignIn('web', 'ann'), hash: hashOf('web') });
    const store = await place().open();
    expect(store.signIns.byHash(hashOf('web'))).toEqual(sampleSignIn('web', 'ann'));
    expect(history(raw)).toEqual(NOW);
  });

  it('a migration that fails leaves the database as it was', async () => {
    (await place().open()).close();
    const raw = place().raw();
    const rejected = synchronise(raw, { ...NEWER, '9999-fails': 'no' });
    await expect(rejected).rejects.toThrow(SchemaMismatch);
    await expect(rejected).rejects.toThrow('9999-fails');
    expect(history(raw)).toEqual(NOW);
    expect(raw.inTransaction).toBe(false);
    expect(await synchronise(raw)).toEqual(LOGGED);
  });

  it('a database of a newer version is left alone, with autoMigrate or without', async () => {
    (await place().open()).close();
    const raw = place().raw();
    await synchronise(raw, NEWER);
    for (const autoMigrate of [true, false]) {
      await expect(place().open({ autoMigrate })).rejects.toThrow(
        'newer version of svc (it has been through 9998-colour)',
      );
    }
    expect(history(raw)).toEqual([...NOW, '9998-colour']);
  });

  it('two at once on one empty file both succeed, in one process', async () => {
    const [one, other] = await Promise.all([place().open(), place().open()]);
    autocommit(one).accounts.insert(sampleAccount('ann'));
    expect(other.accounts.byId(idOf('ann'))?.name).toBe('ann');
  });

  it('three at once on one empty file all succeed, in as many processes', { timeout: 30_000 }, async () => {
    await Promise.all([1, 2, 3].map(() => finished(startStore('open', place().file))));
    expect(history(place().raw())).toEqual(NOW);
  });
});

describe('tables that do not follow from their history (specification 9.1.6)', () => {
  const stamps = (raw: Database.Database) => {
    const isKept = raw.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
    return isKept === undefined ? null : raw.prepare('select * from kysely_migration order by name').all();
  };

  const pushed = async (spoil: (raw: Database.Database) => void) => {
    const store = await place().open();
    autocommit(store).accounts.insert(sampleAccount('ann'));
    autocommit(store).apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
    autocommit(store).teams.insert({ id: '1', name: 'Lab' });
    autocommit(store).teams.addMember('1', idOf('ann'));
    store.close();
    const raw = place().raw();
    spoil(raw);
    const kept = stamps(raw);
    const again = await place().open();
    expect(again.accounts.byId(idOf('ann'))?.teams).toEqual([{ id: '1', name: 'Lab' }]);
    expect(again.apiTokens.byHash(hashOf('ci'))).toEqual(sampleApiToken('ci', 'ann'));
    expect(raw.pragma('foreign_key_check')).toEqual([]);
    // A start never rewrites the history (specification 9.2 from 2.16 to 2.17).
    expect(stamps(raw)).toEqual(kept);
    expect(again.ready()).toEqual({ database: true, migrations: true });
    // The database is fully upgraded by now, so another start changes nothing.
    again.close();
    const version = raw.pragma('schema_version', { simple: true });
    (await place().open()).close();
    expect(raw.pragma('schema_version', { simple: true })).toBe(version);
    (await place().open({ autoMigrate: false })).close();
    // With the option `baseline`, an operator can have the history written.
    (await place().open({ baseline: true })).close();
    expect(history(raw)).toEqual(NOW);
    return raw;
  };

  it('tables without a history are accepted unchanged if they fit (specification 9.1.6)', async () => {
    await pushed((raw) => raw.exec('drop table kysely_migration'));
  });

  it('tables that do not follow from their history get a missing table (specification 9.1.6)', async () => {
    await pushed((raw) => raw.exec('drop table spent'));
  });

  it('tables that do not follow from their history get a missing column (specification 9.1.6)', async () => {
    const raw = await pushed((raw) => raw.exec('alter table accounts drop column temporary_password_until'));
    expect(raw.prepare('select temporary_password_until from accounts').pluck().get()).toBeNull();
  });

  it('tables that do not follow from their history get a missing index (specification 9.1.6)', async () => {
    await pushed((raw) => raw.exec('drop index sign_ins_expiry'));
  });

  it('tables that do not follow from their history lose a column and a table nobody uses (specification 9.1.6)', async () => {
    const raw = await pushed((raw) =>
      raw.exec('alter table accounts add column nick text; create table notes (a text)'),
    );
    expect(raw.prepare("select 1 from sqlite_schema where name = 'notes'").get()).toBeUndefined();
  });

  it('tables that do not follow from their history are rebuilt when a column is not what it should be, with all that belongs to their rows (specification 9.1.6)', async () => {
    await pushed((raw) => {
      raw.pragma('foreign_keys = off');
      raw.exec(`
        create table other (id text primary key not null, name text);
        insert into other select * from teams;
        drop table teams;
        alter table other rename to teams;
      `);
    });
  });

  it('tables and indexes whose SQL earlier versions wrote with quotes count as the same (specification 9.1.6)', async () => {
    (await place().open()).close();
    const raw = place().raw();
    raw.exec(`
      drop index sign_ins_expiry;
      create index "sign_ins_expiry" on "sign_ins" ("expires_at");
      alter table settings rename to other;
      create table "settings" ("key" text not null primary key, "value" text not null) without rowid, strict;
      drop table other`);
    const before = raw.prepare('select * from sqlite_schema').all();
    (await place().open()).close();
    expect(raw.prepare('select * from sqlite_schema').all()).toEqual(before);
    expect(history(raw)).toEqual(NOW);
  });

  it('tables that do not follow from their history keep an index somebody added (specification 9.1.6)', async () => {
    const raw = await pushed((raw) => raw.exec('create index mine on accounts (name)'));
    expect(raw.prepare("select 1 from sqlite_schema where name = 'mine'").get()).toBeDefined();
  });

  it('tables that do not follow from their history stop the start where a table or column with data would have to go, and print the commands (specification 9.1.6)', async () => {
    (await place().open()).close();
    const raw = place().raw();
    raw.exec("create table notes (a text); insert into notes values ('x')");
    raw.exec("alter table teams add column colour text; insert into teams values ('1', 'Lab', 'red')");
    const before = raw.prepare('select * from sqlite_schema').all();
    const start = place().open();
    await expect(start).rejects.toThrow(SchemaMismatch);
    await expect(start).rejects.toThrow(
      [
        `  sqlite3 "${place().file}" <<'SQL'`,
        '  DROP TABLE "notes";',
        '  ALTER TABLE "teams" DROP COLUMN "colour";',
        '  SQL',
      ].join('\n'),
    );
    for (const message of [
      'table notes: 1 row',
      'column teams.colour: a value in 1 row',
      'svc backup ',
      'svc upgrade --plan --accept-loss ',
      'svc upgrade --accept-loss ',
    ])
      await expect(start).rejects.toThrow(message);
    expect(raw.prepare('select * from sqlite_schema').all()).toEqual(before);
    // The commands that the error message recommends are enough for the next start to succeed.
    raw.exec('DROP TABLE "notes"; ALTER TABLE "teams" DROP COLUMN "colour";');
    expect((await place().open()).teams.byId('1')?.name).toBe('Lab');
  });

  it('tables that do not follow from their history lose data without a place once the operator says so (specification 9.1.6)', async () => {
    (await place().open()).close();
    const raw = place().raw();
    raw.exec("create table notes (a text); insert into notes values ('x')");
    (await place().open({ acceptLoss: true })).close();
    expect(raw.prepare("select 1 from sqlite_schema where name = 'notes'").get()).toBeUndefined();
  });

  it('tables that do not follow from their history keep the rows of a table that has another name now (specification 9.1.6)', async () => {
    (await place().open()).close();
    const raw = place().raw();
    raw.exec('alter table "DeviceSetting" rename to phone_settings; drop table kysely_migration');
    raw.exec(
      "insert into phone_settings (udid, name, platform, os_version, tags) values ('p', 'P', 'iOS', '17', '[]')",
    );
    expect((await place().open()).deviceSettings.all()).toMatchObject([{ udid: 'p', name: 'P' }]);
  });

  it('tables that do not follow from their history are pushed when a migration fails on what they hold; the history stays (specification 9.1.6)', async () => {
    const store = await place().open();
    autocommit(store).teams.insert({ id: '1', name: 'Lab' });
    store.close();
    const raw = place().raw();
    // The index fails only if the table has rows, because their names are not valid JSON.
    const needy = `
      alter table teams add column colour text;
      create table colours (id text);
      create index teams_colour on teams (json(name))`;
    const log = silentLog();
    const migrations = { ...MIGRATIONS, '9998-needy': needy };
    const kept = stamps(raw);
    const rejected = synchroniseSchema(raw, { autoMigrate: true, migrations, log });
    // The push cannot create the index either, so the start fails and nothing is changed.
    await expect(rejected).rejects.toThrow('its rows do not fit');
    expect(log.messages('warn')).toEqual([expect.stringContaining('migration 9998-needy failed')]);
    expect(stamps(raw)).toEqual(kept);
    raw.exec(`update teams set name = '"Lab"'`);
    expect(await synchronise(raw, migrations)).toEqual(LOGGED);
  });

  it('tables that do not follow from their history stop the start when the rows do not fit, and stay as they are (specification 9.1.6)', async () => {
    (await place().open()).close();
    const raw = place().raw();
    raw.exec(
      "drop table teams; create table teams (id text, name text); insert into teams values ('1', null)",
    );
    await expect(place().open()).rejects.toThrow('its rows do not fit');
    expect(raw.prepare('select * from teams').all()).toEqual([{ id: '1', name: null }]);
  });
});

describe('with SVC_AUTO_MIGRATE=false (contract 5)', () => {
  const ADVICE = /svc migrate.*SVC_AUTO_MIGRATE unset/;

  it('a database in sync is used, and nothing is said', async () => {
    (await place().open()).close();
    place().log.clear();
    const store = await place().open({ autoMigrate: false });
    expect(store.ready()).toEqual({ database: true, migrations: true });
    expect(place().log.messages()).toEqual([]);
  });

  it('a missing file stops the start, is not made, and the command that is named asks nothing', async () => {
    await expect(place().open({ autoMigrate: false })).rejects.toThrow(
      /svc migrate --yes.*SVC_AUTO_MIGRATE unset/,
    );
    expect(existsSync(place().file)).toBe(false);
  });

  it('missing tables stop the start and say what to run', async () => {
    new Database(place().file).exec('pragma user_version = 1').close();
    await expect(place().open({ autoMigrate: false })).rejects.toThrow(ADVICE);
    expect(place().raw().prepare('select * from sqlite_schema').all()).toEqual([]);
  });

  it('tables that are behind stop the start and say what to run', async () => {
    (await place().open()).close();
    const raw = place().raw();
    await expect(synchronise(raw, NEWER, false)).rejects.toThrow(ADVICE);
    raw.exec('drop table settings');
    await expect(synchronise(raw, MIGRATIONS, false)).rejects.toThrow(ADVICE);
    expect(history(raw)).toEqual(NOW);
  });
});

it('a store is not ready while another process has moved the database on', async () => {
  const store = await place().open({ clock: fakeClock() });
  await synchronise(place().raw(), NEWER);
  expect(store.ready()).toEqual({ database: true, migrations: false });
});
