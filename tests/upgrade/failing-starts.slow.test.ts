import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { svc } from '../accounts/support/svc-command.ts';
import { freshDataDir, runNode, startApi } from '../support/lab.ts';
import { contentOf, makeRelease } from './support/databases.ts';

const API = createRequire(import.meta.url).resolve('@svc/api/main.js');
const environment = (dataDir: string) => ({ PORT: '0', SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' });

/** Runs `node main.js` in a shell that first sets limits. */
async function startUnder(shell: string, dataDir: string) {
  const child = spawn('bash', ['-c', shell, process.execPath, API], {
    env: { PATH: process.env.PATH, ...environment(dataDir) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((ended) => child.once('close', ended)),
  ]);
  return { output: `${output}${errors}`, code };
}

it.each([8, 200])(
  'a disk that is full after %i KiB: nothing changes, and the message says so (specification 9.1.6)',
  async (kib) => {
    const dataDir = freshDataDir();
    makeRelease('2.13', dataDir);
    const before = contentOf(dataDir);
    const { output, code } = await startUnder(`ulimit -f ${kib}; exec "$0" "$1"`, dataDir);
    expect({ code, ready: output.includes('svc ready on') }).toEqual({ code: 1, ready: false });
    expect(output).toMatch(/There is no room left|no backup could be made/);
    expect(contentOf(dataDir)).toEqual(before);
    expect(existsSync(join(dataDir, 'upgrade.json'))).toBe(false);
    const backups = join(dataDir, 'backups');
    const left = existsSync(backups) ? readdirSync(backups).filter((name) => name !== '.lock') : [];
    expect(left).toEqual([]);
    // With free space, the upgrade continues.
    expect(await svc(dataDir, ['upgrade'])).toMatchObject({ code: 0 });
    expect(contentOf(dataDir).rows).toEqual(before.rows);
  },
);

it('a full disk at the first start: a message, and the next start begins anew (specification 9.1.6)', async () => {
  const dataDir = freshDataDir();
  const { output, code } = await startUnder('ulimit -f 8; exec "$0" "$1"', dataDir);
  expect(code).toBe(1);
  expect(output).toContain(`There is no room left on the disk of ${dataDir}`);
  const server = await startApi({ dataDir });
  expect((await server.api('/health/ready')).status).toBe(200);
  await server.stop();
});

it('a data folder that cannot be written: a message, and nothing is changed (specification 9.1.6)', async () => {
  const dataDir = freshDataDir();
  makeRelease('2.13', dataDir);
  const before = readFileSync(join(dataDir, 'svc.db'));
  for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o400);
  chmodSync(dataDir, 0o500);
  // Root may write everywhere, so the process runs without root's rights.
  const asEverybody =
    process.getuid?.() === 0
      ? 'exec setpriv --bounding-set=-dac_override,-dac_read_search,-fowner --inh-caps=-dac_override,-dac_read_search,-fowner "$0" "$1"'
      : 'exec "$0" "$1"';
  const { output, code } = await startUnder(asEverybody, dataDir);
  chmodSync(dataDir, 0o700);
  expect(code).toBe(1);
  expect(output).toContain(`${dataDir} cannot be written`);
  expect(readFileSync(join(dataDir, 'svc.db'))).toEqual(before);
});

it.each<[string, (file: string) => void]>([
  ['of something else', (file) => writeFileSync(file, 'This is no database. '.repeat(500))],
  ['whose first page is overwritten', (file) => overwrite(file, 100, 3_000)],
  ['cut off in the middle', (file) => truncateSync(file, 8_192)],
])(
  'a database file %s: named with the way back, and left as it is (specification 9.1.6)',
  async (_, spoil) => {
    const dataDir = freshDataDir();
    makeRelease('current', dataDir);
    const before = contentOf(dataDir);
    const file = join(dataDir, 'svc.db');
    await svc(dataDir, ['backup']);
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    spoil(file);
    const damaged = readFileSync(file);
    const failing = runNode(API, { env: environment(dataDir) });
    expect(await failing.exited).toMatchObject({ code: 1 });
    expect(failing.output()).toContain(`The database ${file} is damaged or is no database`);
    expect(failing.output()).not.toContain('svc ready on');
    expect(readFileSync(file)).toEqual(damaged);
    // Run the command that the error message recommends.
    expect(await svc(dataDir, ['restore', 'latest', '--yes'])).toMatchObject({ code: 0 });
    expect(contentOf(dataDir)).toEqual(before);
  },
);

function overwrite(file: string, at: number, bytes: number): void {
  writeSync(openSync(file, 'r+'), Buffer.alloc(bytes, 0xa5), 0, bytes, at);
}

it('a release of Node.js that is too old is named before anything is opened (specification 9.2 from 2.14 to 2.15)', async () => {
  const dataDir = freshDataDir();
  const preload = join(dataDir, '..', `old-node-${process.pid}.cjs`);
  writeFileSync(preload, "Object.defineProperty(process.versions, 'node', { value: '18.20.8' });");
  const old = runNode('--require', { env: environment(join(dataDir, 'data')), args: [preload, API] });
  expect(await old.exited).toMatchObject({ code: 1 });
  expect(old.output().trim()).toMatch(/^svc: This is Node\.js 18\.20\.8; svc needs 20\.19 /);
  expect(existsSync(join(dataDir, 'data'))).toBe(false);
  rmSync(preload);
});

it('postgresql:// stops the start, SVC_DATABASE_PROVIDER has no effect (specification 9.1.6)', async () => {
  const dataDir = freshDataDir();
  const other = runNode(API, {
    env: { ...environment(dataDir), SVC_DATABASE_URL: 'postgresql://lab:hunter2@db/svc' },
  });
  expect(await other.exited).toMatchObject({ code: 1 });
  expect(other.output()).toContain('only SQLite is supported');
  expect(other.output()).not.toContain('hunter2');
  const server = await startApi({ dataDir, env: { SVC_DATABASE_PROVIDER: 'postgresql' } });
  expect(server.output()).toContain('SVC_DATABASE_PROVIDER has no effect: the database is SQLite');
  await server.stop();
});
