import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandPlace, eachTestItsFolder, rawDatabase } from './backup-place.ts';

const SCRIPT = fileURLToPath(new URL('../../../scripts/release-database.mjs', import.meta.url));
const place = eachTestItsFolder();
let dataDir: string;
let databaseFile: string;
let svc: CommandPlace['svc'];
beforeEach(() => {
  ({ dataDir, databaseFile, svc } = place());
});

describe('svc upgrade', () => {
  const release = (name: string) => execFileSync(process.execPath, [SCRIPT, name, databaseFile]);
  const history = () => readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('-upgrade'));

  it('--plan says what would change, and changes nothing', async () => {
    release('2.13');
    const before = readFileSync(databaseFile);
    const { code, out } = await svc('upgrade', '--plan');
    expect(code).toBe(0);
    expect(out).toContain('table phone_settings becomes DeviceSetting');
    expect(out).toContain('new column LocatorEtalon.path');
    expect(out).toContain('all of them are kept');
    expect(readFileSync(databaseFile)).toEqual(before);
    expect(readdirSync(dataDir).filter((name) => !/^svc\.db(?:-wal|-shm)?$/.test(name))).toEqual([]);
    const plan = JSON.parse((await svc('upgrade', '--plan', '--json')).out);
    expect(plan).toMatchObject({ step: 'deploy', problem: null });
  });

  it('--plan ends with 1 where data would be lost, and 0 once it may be', async () => {
    release('2.13');
    const raw = await rawDatabase(databaseFile);
    raw.exec("create table notes (a text); insert into notes values ('x')");
    raw.close();
    const refused = await svc('upgrade', '--plan');
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('table notes: 1 row') });
    expect(await svc('upgrade')).toMatchObject({
      code: 1,
      err: expect.stringContaining('DROP TABLE "notes"'),
    });
    const told = await svc('upgrade', '--plan', '--accept-loss');
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining('notes 1 -> gone') });
    expect(await svc('upgrade', '--accept-loss')).toMatchObject({ code: 0 });
    // The upgrade has made one backup, which still contains the table that the upgrade deleted.
    expect(history()).toHaveLength(1);
  });

  it('svc upgrade backs up before it changes, once; what is up to date is left alone (specification 9.1.3)', async () => {
    release('1.x');
    expect(await svc('upgrade')).toMatchObject({ code: 0 });
    expect(history()).toHaveLength(1);
    expect(existsSync(join(dataDir, 'upgrade.json'))).toBe(true);
    expect(await svc('upgrade')).toMatchObject({ code: 0 });
    expect(history()).toHaveLength(1);
    expect(await svc('backup', 'verify', 'latest')).toMatchObject({ code: 0 });
  });

  it('svc upgrade changes nothing where no backup can be made, unless told so', async () => {
    release('2.13');
    const before = readFileSync(databaseFile);
    writeFileSync(join(dataDir, 'backups'), 'no folder');
    const refused = await svc('upgrade');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was changed') });
    expect(refused.err).toContain('--no-backup');
    expect((await svc('migrate', '--plan')).out).toContain('migration 0016');
    expect(readFileSync(databaseFile)).toEqual(before);
    expect(await svc('upgrade', '--no-backup')).toMatchObject({ code: 0 });
    const { out } = await svc('migrate', '--plan');
    expect(out).toContain('Nothing changes');
    expect(out).toContain('No backup is made.');
  });

  it('svc upgrade is refused while a server runs on the data, and so is a restore', async () => {
    release('2.13');
    const { out } = await svc('backup');
    const lock = execServerLock();
    await lock.held;
    for (const refused of await Promise.all([svc('upgrade'), svc('restore', out.trim(), '--yes')]))
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is running on the data') });
    expect(await svc('upgrade', '--plan')).toMatchObject({ code: 0 });
    expect(await svc('backup')).toMatchObject({ code: 0 });
    await lock.release();
  });
});

describe('svc leftovers', () => {
  it('svc leftovers lists trial copies, and removes those that are not in use (specification 9.2 from 2.16 to 2.17)', async () => {
    execFileSync(process.execPath, [SCRIPT, '2.16', databaseFile]);
    writeFileSync(`${databaseFile}.xenon-trial-1-wal`, '');
    writeFileSync(`${databaseFile}.notes`, 'mine');
    const first = `${databaseFile}.xenon-trial-1`;
    const second = `${databaseFile}.xenon-trial-2`;
    const listed = await svc('leftovers');
    expect(listed).toMatchObject({ code: 0, out: [first, `${first}-wal`, second, ''].join('\n') });
    const user = await rawDatabase(second);
    user.exec('pragma journal_mode = wal');
    user.prepare('select * from accounts').all();
    const held = await svc('leftovers', '--remove');
    expect(held).toMatchObject({ code: 1, err: `${second} is in use\n` });
    expect([first, `${first}-wal`, second].map((file) => existsSync(file))).toEqual([false, false, true]);
    user.close();
    expect(await svc('leftovers', '--remove')).toMatchObject({ code: 0 });
    expect(readdirSync(dataDir).filter((name) => !/^svc\.db(?:-wal|-shm)?$/.test(name))).toEqual([
      'svc.db.notes',
    ]);
  });
});

/** Starts another process that holds the lock of a server. */
function execServerLock() {
  const script = fileURLToPath(
    new URL('../../../packages/store-sqlite/test/processes/lock.mjs', import.meta.url),
  );
  const child = spawn(process.execPath, [script, join(dataDir, 'svc.lock')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    held: once(child.stdout, 'data'),
    release: async () => {
      child.kill();
      await once(child, 'close');
    },
  };
}
