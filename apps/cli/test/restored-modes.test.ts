import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@svc/auth-core/testing';
import { decideRestore, finishRestore } from '@svc/data-folder';
import { openStore } from '@svc/store-sqlite';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type CommandPlace, eachTestItsFolder } from './backup-place.ts';

const APP = '0b7de6a4-0f5c-4c39-8f0e-0d6a6a4d4a11';
const STRAY_APP = '1b7de6a4-0f5c-4c39-8f0e-0d6a6a4d4a11';
const place = eachTestItsFolder();
const usualUmask = process.umask();

let dataDir: string;
let databaseFile: string;
let svc: CommandPlace['svc'];
let backup: string;

/** Creates a data folder, and a backup of it that every user of the host can read and write. */
beforeEach(async () => {
  ({ dataDir, databaseFile, svc } = place());
  const store = await openStore({
    file: databaseFile,
    clock: { now: Date.now },
    log: silentLog(),
    autoMigrate: true,
  });
  const sha256 = createHash('sha256').update('hello').digest('hex');
  store.apps.insert({ id: APP, name: 'a.apk', size: 5, sha256, createdAt: 1, uploadedBy: null });
  store.close();
  writeFileSync(join(dataDir, 'signing-key.pem'), 'the key of then', { mode: 0o600 });
  writeFileSync(join(dataDir, 'signing-keys.json'), '{"next":null,"retired":[]}', { mode: 0o600 });
  mkdirSync(join(dataDir, 'apps'));
  writeFileSync(join(dataDir, 'apps', APP), 'hello', { mode: 0o600 });
  backup = (await svc('backup', '--to', join(dataDir, '..', 'copies'))).out.trim();
  for (const path of below(backup)) chmodSync(path, lstatSync(path).isDirectory() ? 0o777 : 0o666);
});
afterEach(() => void process.umask(usualUmask));

/** @returns the paths of a folder and of everything in it */
function below(folder: string): string[] {
  return [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ];
}

/** @returns the paths in a folder, with their modes, whose mode is not 0700 (folders) or 0600 (files) */
function wrongModes(folder: string): string[] {
  return below(folder)
    .map((path) => ({ path, stats: lstatSync(path) }))
    .filter(({ stats }) => (stats.mode & 0o777) !== (stats.isDirectory() ? 0o700 : 0o600))
    .map(({ path, stats }) => `${path} ${(stats.mode & 0o777).toString(8)}`);
}

describe('a backup that others can read', () => {
  test.each(['000', '022', '077', '777'])(
    'a backup that others can read is restored to a new data folder with files 0600 and folders 0700, under the umask %s (contract 4, keys)',
    async (umask) => {
      rmSync(dataDir, { recursive: true });
      process.umask(Number.parseInt(umask, 8));
      const { code, err } = await svc('restore', backup, '--yes');
      expect(code).toBe(0);
      expect(err).toContain(`Other users of this host can read the backup. Run chmod -R go= '${backup}'`);
      expect(readdirSync(dataDir)).toEqual(
        expect.arrayContaining(['apps', 'audit-key', 'signing-key.pem', 'signing-keys.json', 'svc.db']),
      );
      expect(wrongModes(dataDir)).toEqual([]);
      expect(readFileSync(join(dataDir, 'apps', APP), 'utf8')).toBe('hello');
      // The restored file must not be a hard link to the backup's file, because a later change of that file's mode
      // would change the restored file too.
      expect(statSync(join(dataDir, 'apps', APP)).ino).not.toBe(statSync(join(backup, 'apps', APP)).ino);
    },
  );

  it('a backup that others can read is restored over files that others could read, which are set aside closed (contract 4, keys)', async () => {
    writeFileSync(join(dataDir, 'apps', STRAY_APP), 'stray');
    await svc('backup');
    for (const path of below(dataDir)) chmodSync(path, lstatSync(path).isDirectory() ? 0o777 : 0o666);
    process.umask(0);
    expect(await svc('restore', backup, '--yes')).toMatchObject({ code: 0 });
    const names = below(dataDir).join('\n');
    expect(names).toMatch(/signing-key\.pem\.replaced-/);
    expect(names).toMatch(/apps\.replaced-/);
    expect(wrongModes(dataDir)).toEqual([]);
    writeFileSync(join(dataDir, 'notes'), 'not ours', { mode: 0o644 });
    await svc('restore', 'latest', '--yes');
    expect(wrongModes(dataDir)).toEqual([`${join(dataDir, 'notes')} 644`]);
  });

  it('a restore of a backup with links in place of its files creates files, and leaves the targets of the links unchanged (contract 4, keys)', async () => {
    const elsewhere = join(dataDir, '..', 'elsewhere');
    for (const name of ['signing-key.pem', join('apps', APP)]) {
      const target = `${elsewhere}-${name.length}`;
      writeFileSync(target, readFileSync(join(backup, name)));
      chmodSync(target, 0o644);
      rmSync(join(backup, name));
      symlinkSync(target, join(backup, name));
    }
    rmSync(dataDir, { recursive: true });
    expect(await svc('restore', backup, '--yes')).toMatchObject({ code: 0 });
    expect(wrongModes(dataDir)).toEqual([]);
    expect(lstatSync(join(dataDir, 'signing-key.pem')).isFile()).toBe(true);
    expect(lstatSync(join(dataDir, 'apps', APP)).isFile()).toBe(true);
    expect(statSync(`${elsewhere}-15`).mode & 0o777).toBe(0o644);
  });

  it('a backup that others can read is closed also where an earlier version staged it and was killed (contract 4, keys)', () => {
    const files = { dataDir, databaseFile };
    decideRestore(files, backup, { suffix: 'before' });
    for (const name of readdirSync(dataDir).filter((name) => name.endsWith('.restoring')))
      chmodSync(join(dataDir, name), 0o666);
    expect(finishRestore(files)).toBe(true);
    expect(wrongModes(dataDir)).toEqual([]);
  });
});

describe('what a backup and an upgrade leave', () => {
  it('a backup and an upgrade leave files 0600 and folders 0700 under the umask 0, of data that others can read (contract 4, keys)', async () => {
    for (const path of below(dataDir)) chmodSync(path, lstatSync(path).isDirectory() ? 0o777 : 0o666);
    process.umask(0);
    const { out } = await svc('backup', '--to', join(dataDir, '..', 'new', 'copies'));
    expect(wrongModes(join(dataDir, '..', 'new'))).toEqual([]);
    expect(readFileSync(join(out.trim(), 'signing-key.pem'), 'utf8')).toBe('the key of then');
  });

  it('a backup and an upgrade take over no half-written file that others can read (contract 4, keys)', async () => {
    writeFileSync(join(dataDir, 'restore.json.part'), 'x');
    chmodSync(join(dataDir, 'restore.json.part'), 0o666);
    const files = { dataDir, databaseFile };
    decideRestore(files, backup, { suffix: 'before' });
    expect(statSync(join(dataDir, 'restore.json')).mode & 0o777).toBe(0o600);
    finishRestore(files);
  });
});
