import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from '@svc/auth-core';
import { autocommit, hashOf, sampleAccount, sampleApiToken, sampleSignIn } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { sampleResetLink } from '../src/testing/account-rows.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('the store makes the database for its owner only, and the folder when there is none', async () => {
  const folder = join(place().folder, 'deep', 'data');
  const file = join(folder, 'svc.db');
  const store = await place().open({ file });
  autocommit(store).accounts.insert(sampleAccount('ann'));
  expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
  expect(modeOf(folder)).toBe('700');
});

it('the store closes a database that was open to others, and leaves a folder that was there', async () => {
  writeFileSync(place().file, '');
  chmodSync(place().file, 0o644);
  chmodSync(place().folder, 0o755);
  const store = await place().open();
  autocommit(store).accounts.insert(sampleAccount('ann'));
  expect([place().file, `${place().file}-wal`].map(modeOf)).toEqual(['600', '600']);
  expect(modeOf(place().folder)).toBe('755');
});

it('the database holds no secret: of each, only its hash (spec 5.1.4, contract 4)', async () => {
  const secrets = ['key', 'cookie', 'link'].map((name) => `${name}-${randomBytes(32).toString('base64url')}`);
  const [key = '', cookie = '', link = ''] = secrets;
  const store = await place().open();
  autocommit(store).accounts.insert(sampleAccount('ann'));
  autocommit(store).apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf(key));
  autocommit(store).signIns.insert(sampleSignIn('web', 'ann'), hashOf(cookie));
  autocommit(store).resetLinks.insert(sampleResetLink('reset', 'ann'), hashOf(link));
  const written = readFileSync(place().file, 'latin1') + readFileSync(`${place().file}-wal`, 'latin1');
  for (const secret of secrets) {
    expect(written).toContain(hashOf(secret));
    expect(written).not.toContain(secret);
  }
});

it('the database has columns for hashes and none for secrets (contract 4)', async () => {
  await place().open();
  const columns = place()
    .raw()
    .prepare(
      "select m.name || '.' || c.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'",
    )
    .pluck()
    .all() as string[];
  const mayBeSecret = (name: string) =>
    /hash|token|secret|password|cookie|key/.test(name.split('.')[1] ?? '');
  const suspicious = columns.filter(mayBeSecret).sort();
  expect(suspicious).toEqual([
    'accounts.access_key',
    'accounts.default_password',
    'accounts.email_key',
    'accounts.password_hash',
    'accounts.temporary_password_until',
    'api_tokens.hash',
    'attach_addresses.hash',
    'audit.hash',
    'audit.previous_hash',
    'audit_marks.hash',
    'leases.hash',
    // `key_pin` is the hash of a public key and therefore not a secret.
    'nodes.key_pin',
    'passkeys.public_key',
    'reset_links.hash',
    'settings.key',
    'sign_ins.api_token_id',
    'sign_ins.hash',
  ]);
});

it('a database that is closed cannot be asked: unavailable, never an answer (contract 1)', async () => {
  const store = await place().open();
  autocommit(store).accounts.insert(sampleAccount('ann'));
  autocommit(store).apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
  expect(store.apiTokens.byHash(hashOf('ci'))).toBeDefined();
  expect(store.ready()).toEqual({ database: true, migrations: true });
  store.close();
  store.close();
  expect(store.ready()).toEqual({ database: false, migrations: false });
  for (const ask of [
    () => store.apiTokens.byHash(hashOf('ci')),
    () => store.accounts.byAccessKey('svc_ann'),
    () => store.signIns.byHash(hashOf('none')),
    () => store.settings.all(),
    () => store.audit.check(),
    () => autocommit(store).replay.spend('t', 1),
    () => store.transaction(() => 1),
  ]) {
    expect(ask).toThrow(Unavailable);
  }
});

it('a file that is no database is unavailable (contract 1)', async () => {
  writeFileSync(place().file, 'This is no database. '.repeat(100));
  await expect(place().open()).rejects.toThrow(Unavailable);
});

it('the store puts no values into an error', async () => {
  const store = await place().open();
  autocommit(store).accounts.insert(sampleAccount('ann'));
  autocommit(store).apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
  let error: unknown;
  try {
    autocommit(store).apiTokens.insert(sampleApiToken('other', 'ann'), hashOf('ci'));
  } catch (caught) {
    error = caught;
  }
  expect(String(error)).toBe('Conflict: a value that must be unique is already used');
});
