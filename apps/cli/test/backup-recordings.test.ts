import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBackup, restoreBackup } from '@svc/data-folder';
import { openStore } from '@svc/store-sqlite';
import { afterEach, expect, it } from 'vitest';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const KEY = 'a'.repeat(32);
const UNFINISHED = 'b'.repeat(32);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function place() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-backup-'));
  folders.push(dataDir);
  const databaseFile = join(dataDir, 'svc.db');
  const auditKeyFile = join(dataDir, 'audit-key');
  const store = await openStore({
    ...{ file: databaseFile, auditKeyFile, clock: { now: Date.now }, log: silent, autoMigrate: true },
  });
  store.close();
  for (const key of [KEY, UNFINISHED]) {
    mkdirSync(join(dataDir, 'recordings', key), { recursive: true });
    writeFileSync(join(dataDir, 'recordings', key, 'chunk-000000.rec'), `pictures of ${key}`);
  }
  for (const name of ['pictures.json', 'recording.json'])
    writeFileSync(join(dataDir, 'recordings', KEY, name), '{}');
  return { dataDir, databaseFile };
}

const request = { kind: 'manual', withApps: false, now: Date.UTC(2030, 0, 1), version: '0.1.0' } as const;

it('a backup leaves recordings out (contract 11)', async () => {
  const data = await place();
  const { folder } = makeBackup(data, { ...request, dir: join(data.dataDir, 'backups') });
  expect(existsSync(join(folder, 'recordings'))).toBe(false);
});

it('a backup with recordings holds the complete ones, and a restore puts them back (contract 11)', async () => {
  const data = await place();
  const dir = join(data.dataDir, 'backups');
  const { folder } = makeBackup(data, { ...request, dir, withRecordings: true });
  expect(readdirSync(join(folder, 'recordings'))).toEqual([KEY]);
  rmSync(join(data.dataDir, 'recordings'), { recursive: true });
  restoreBackup(data, folder, { suffix: 'replaced' });
  const restored = join(data.dataDir, 'recordings', KEY);
  expect(readdirSync(restored).sort()).toEqual(['chunk-000000.rec', 'pictures.json', 'recording.json']);
  expect(readFileSync(join(restored, 'chunk-000000.rec'), 'utf8')).toBe(`pictures of ${KEY}`);
  expect(statSync(restored).mode & 0o777).toBe(0o700);
});
