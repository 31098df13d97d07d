import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { silentLog } from '@svc/auth-core/testing';
import { decideRestore, finishRestore } from '@svc/data-folder';
import { openStore, takeProcessLock } from '@svc/store-sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandPlace, eachTestItsFolder } from './backup-place.ts';

const place = eachTestItsFolder();
let dataDir: string;
let databaseFile: string;
let svc: CommandPlace['svc'];
beforeEach(() => {
  ({ dataDir, databaseFile, svc } = place());
});

const APP = '0b7de6a4-0f5c-4c39-8f0e-0d6a6a4d4a11';
const LATER_APP = '1b7de6a4-0f5c-4c39-8f0e-0d6a6a4d4a11';

const open = () =>
  openStore({ file: databaseFile, clock: { now: Date.now }, log: silentLog(), autoMigrate: true });

/** Fills the data folder with a team, two keys and an app. */
async function fill(): Promise<void> {
  const store = await open();
  store.transaction((tx) => tx.teams.insert({ id: '1', name: 'Lab' }));
  store.apps.insert({
    id: APP,
    name: 'a.apk',
    size: 5,
    sha256: sha256('hello'),
    createdAt: 1,
    uploadedBy: null,
  });
  store.close();
  writeFileSync(join(dataDir, 'signing-key.pem'), 'the key of then', { mode: 0o600 });
  mkdirSync(join(dataDir, 'apps'));
  writeFileSync(join(dataDir, 'apps', APP), 'hello', { mode: 0o600 });
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Changes the data after the backup: it adds a team, replaces the signing key and replaces the app by another one. */
async function spoil(): Promise<void> {
  const store = await open();
  store.transaction((tx) => tx.teams.insert({ id: '2', name: 'Later' }));
  store.close();
  writeFileSync(join(dataDir, 'signing-key.pem'), 'the key of now');
  rmSync(join(dataDir, 'apps', APP));
  writeFileSync(join(dataDir, 'apps', LATER_APP), 'later');
}

async function teams(): Promise<string[]> {
  const store = await open();
  const names = store.teams.list().map(({ name }) => name);
  store.close();
  return names;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const key = () => readFileSync(join(dataDir, 'signing-key.pem'), 'utf8');

describe('svc backup and svc restore', () => {
  it('svc backup and svc restore bring back database, keys and apps, and keep what they replace (specification 9.1.3)', async () => {
    await fill();
    const made = await svc('backup');
    expect(made).toMatchObject({ code: 0 });
    const folder = made.out.trim();
    expect(readdirSync(folder).sort()).toEqual([
      'apps',
      'audit-key',
      'manifest.json',
      'signing-key.pem',
      'svc.db',
    ]);
    const secret = ['audit-key', 'manifest.json', 'signing-key.pem', 'svc.db', `apps/${APP}`];
    expect(secret.map((name) => modeOf(join(folder, name)))).toEqual(secret.map(() => '600'));
    expect([folder, join(dataDir, 'backups')].map(modeOf)).toEqual(['700', '700']);
    expect(await svc('backup', 'verify', 'latest')).toMatchObject({ code: 0 });

    await spoil();
    expect(await teams()).toEqual(['Lab', 'Later']);
    expect(await svc('restore', 'latest')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    expect(await svc('restore', 'latest', '--yes')).toMatchObject({ code: 0 });
    expect(await teams()).toEqual(['Lab']);
    expect(key()).toBe('the key of then');
    expect(modeOf(databaseFile)).toBe('600');
    expect(readFileSync(join(dataDir, 'apps', APP), 'utf8')).toBe('hello');
    expect(existsSync(join(dataDir, 'apps', LATER_APP))).toBe(false);

    const aside = (await svc('leftovers')).out.trim().split('\n');
    const replaced = aside.find((path) => path.includes('svc.db.replaced-')) ?? '';
    const before = await openStore({
      file: replaced,
      auditKeyFile: join(dataDir, 'audit-key'),
      clock: { now: Date.now },
      log: silentLog(),
      autoMigrate: false,
    });
    expect(before.teams.list().map(({ name }) => name)).toEqual(['Lab', 'Later']);
    before.close();
    const apps = aside.find((path) => path.includes('apps.replaced-')) ?? '';
    expect(readFileSync(join(apps, LATER_APP), 'utf8')).toBe('later');
    expect(await svc('leftovers', '--remove')).toMatchObject({ code: 0 });
    expect((await svc('leftovers')).out).toBe('');
  });

  it('a backup is of one moment while others write, and holds what was committed before', async () => {
    const store = await open();
    store.transaction((tx) => tx.teams.insert({ id: '1', name: 'Lab' }));
    const { out } = await svc('backup');
    store.transaction((tx) => tx.teams.insert({ id: '2', name: 'Later' }));
    store.close();
    await svc('restore', out.trim(), '--yes');
    expect(await teams()).toEqual(['Lab']);
  });

  it('a damaged, cut or missing file is named, and nothing is put back', async () => {
    await fill();
    const folder = (await svc('backup')).out.trim();
    for (const name of ['svc.db', 'signing-key.pem', `apps/${APP}`]) {
      const file = join(folder, name);
      const content = readFileSync(file);
      rmSync(file);
      writeFileSync(
        file,
        Buffer.concat([content.subarray(0, -1), Buffer.from([(content.at(-1) as number) ^ 1])]),
      );
      const refused = await svc('restore', folder, '--yes');
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringContaining(`${name} has changed since the backup was made`),
      });
      expect(await svc('backup', 'verify', folder)).toMatchObject({ code: 1 });
      rmSync(file);
      expect((await svc('restore', folder, '--yes')).err).toContain(`${name} is missing`);
      writeFileSync(file, content, { mode: 0o600 });
    }
    writeFileSync(join(folder, 'manifest.json'), '{"format":1,"files":[{"path":"../../etc/passwd"}]}');
    expect((await svc('restore', folder, '--yes')).err).toContain(
      'a version that this version does not support',
    );
    expect(await teams()).toEqual(['Lab']);
    expect((await svc('leftovers')).out).toBe('');
  });

  it('svc backup keeps the wanted number of each kind, and counts only backups of this data folder', async () => {
    await fill();
    const manual = (await svc('backup')).out.trim();
    const made: string[] = [];
    for (let nth = 0; nth < 4; nth += 1)
      made.push((await svc('backup', '--scheduled', '--keep', '2')).out.trim());
    const listed = (await svc('backup', 'list')).out.trim().split('\n');
    expect(listed.map((line) => line.split('\t')[3])).toEqual([manual, ...made.slice(2)]);
  });

  it('svc backup removes what a killed backup left', async () => {
    await fill();
    const dir = join(dataDir, 'backups');
    mkdirSync(join(dir, '20260101T000000000Z-manual.part'), { recursive: true });
    expect((await svc('backup', 'list')).out).toBe('');
    await svc('backup', '--no-apps');
    expect(readdirSync(dir).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('a restore that was interrupted at any step is completed by the next start', async () => {
    await fill();
    const folder = (await svc('backup')).out.trim();
    const place = { dataDir, databaseFile };
    for (let steps = 0, isWhole = false; !isWhole; steps += 1) {
      await spoil();
      decideRestore(place, folder, { suffix: `replaced-${steps}` });
      isWhole = !move(steps);
      expect(await svc('audit', 'head')).toMatchObject({
        code: 1,
        err: expect.stringContaining('interrupted'),
      });
      expect(finishRestore(place)).toBe(true);
      expect(finishRestore(place)).toBe(false);
      expect([key(), await teams()], `after ${steps} steps`).toEqual(['the key of then', ['Lab']]);
      expect(readFileSync(join(dataDir, `signing-key.pem.replaced-${steps}`), 'utf8')).toBe('the key of now');
    }
  });

  it('svc restore --new-keys does not restore the signing keys of the backup, and sets the current ones aside (contract 4)', async () => {
    await fill();
    writeFileSync(join(dataDir, 'signing-keys.json'), '{"next":null,"retired":[]}', { mode: 0o600 });
    const folder = (await svc('backup')).out.trim();
    await spoil();
    expect(await svc('restore', folder, '--yes', '--new-keys')).toMatchObject({ code: 0 });
    expect(await teams()).toEqual(['Lab']);
    expect(readdirSync(dataDir).filter((name) => /^signing-keys?\.(?:pem|json)$/.test(name))).toEqual([]);
    const aside = (await svc('leftovers')).out;
    expect(aside).toMatch(/signing-key\.pem\.replaced-/);
    expect(aside).toMatch(/signing-keys\.json\.replaced-/);
  });

  it('a restore waits for a rotation that is under way', async () => {
    await fill();
    const folder = (await svc('backup')).out.trim();
    writeFileSync(join(dataDir, 'signing-key.pem'), 'the key of now');
    const rotation = takeProcessLock(join(dataDir, 'signing-keys.lock'));
    const restoring = svc('restore', folder, '--yes');
    expect(await Promise.race([restoring, pause(100, 'it waits')])).toBe('it waits');
    expect(key()).toBe('the key of now');
    rotation?.release();
    expect(await restoring).toMatchObject({ code: 0 });
    expect(key()).toBe('the key of then');
  });

  /**
   * Carries out the first `steps` renames of a restore's journal, as a killed restore would.
   * @returns false if the journal has no further renames
   */
  function move(steps: number): boolean {
    const { moves } = JSON.parse(readFileSync(join(dataDir, 'restore.json'), 'utf8'));
    const renames = moves.flatMap(({ file, aside, staged }: Record<string, string>) => [
      ...(existsSync(file as string) ? [[file, aside]] : []),
      ...(staged === null ? [] : [[staged, file]]),
    ]);
    for (const [from, to] of renames.slice(0, steps)) {
      mkdirSync(dirname(to), { recursive: true });
      renameSync(from, to);
    }
    return steps < renames.length;
  }
});
