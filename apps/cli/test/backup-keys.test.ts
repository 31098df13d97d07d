import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { signingKey } from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import { advance, announceNext, KeyFiles, keyMismatch, makeBackup, readKeyFiles } from '@svc/data-folder';
import { openStore } from '@svc/store-sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eachTestItsFolder } from './backup-place.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOON = Date.UTC(2026, 5, 1, 12);
const NAMES = ['signing-key.pem', 'signing-keys.json'];
const log = silentLog();
const place = eachTestItsFolder();

let dataDir: string;
beforeEach(() => {
  ({ dataDir } = place());
});

/** @returns the three writes of a key rotation as functions, in their order, so that a test can run them one by one */
async function rotationIn(folder: string): Promise<(() => void)[]> {
  const files = new KeyFiles(folder);
  files.currentOrNew(log);
  await announceNext(files, NOON, log);
  const recorded = new KeyFiles(folder);
  const steps: (() => void)[] = [];
  recorded.replaceRing = (ring) => void steps.push(() => files.replaceRing(ring));
  recorded.replaceCurrent = (pem) => void steps.push(() => files.replaceCurrent(pem));
  await advance(recorded, { now: NOON, longestLifeMs: DAY }, log);
  return steps;
}

/** @returns the content of both key files in a folder */
const stateOf = (folder: string) => NAMES.map((name) => readFileSync(join(folder, name), 'utf8'));

describe('a backup in the middle of a rotation (contract 4, keys)', () => {
  it('a copy of the keys is one of the states of the rotation, whichever steps fall between its readings (specification 9.1.3)', async () => {
    const schedules = [0, 1, 2, 3].flatMap((one) =>
      [0, 1, 2, 3].flatMap((two) => [0, 1, 2, 3].map((three) => [one, one + two, one + two + three])),
    );
    const steps = await rotationIn(dataDir);
    const states = [stateOf(dataDir)];
    for (const step of steps) {
      step();
      states.push(stateOf(dataDir));
    }
    expect(new Set(states.map(String)).size).toBe(4);
    for (const due of schedules) {
      let reads = 0;
      const copy = readKeyFiles(dataDir, (path) => {
        const made = due.filter((at) => at <= reads).length;
        reads += 1;
        return Buffer.from(states[made]?.[NAMES.indexOf(basename(path))] ?? '');
      });
      const copied = NAMES.map((name) => copy.get(name)?.toString());
      expect(states, `steps before readings ${due.join(', ')}`).toContainEqual(copied);
    }
  });

  it('made one after the other while another thread rotates as fast as it can, none is mixed', async () => {
    const databaseFile = join(dataDir, 'svc.db');
    const store = await openStore({ file: databaseFile, clock: { now: Date.now }, log, autoMigrate: true });
    store.close();
    const pems = Array.from({ length: 12 }, () => newPem());
    const jwks = await Promise.all(pems.map(async (pem) => (await signingKey(pem)).jwk));
    const rotating = new Worker(ROTATE, { eval: true, workerData: { dataDir, pems, jwks } });
    await new Promise((begun) => rotating.once('message', begun));
    const dir = join(dataDir, 'backups');
    const seen = new Set<string>();
    for (let made = 0; made < 25; made += 1) {
      const request = { kind: 'manual', dir, withApps: false, now: NOON + made, version: '0.1.0' } as const;
      const { folder } = makeBackup({ dataDir, databaseFile }, request);
      expect(keyMismatch(folder, log)).toBeNull();
      seen.add(readFileSync(join(folder, 'signing-key.pem'), 'utf8'));
    }
    await rotating.terminate();
    expect(seen.size).toBeGreaterThan(1);
  });

  it('keys that never rest are an error, and no backup is left', async () => {
    let nth = 0;
    writeFileSync(join(dataDir, 'signing-key.pem'), 'x');
    expect(() => readKeyFiles(dataDir, () => Buffer.from(String(nth++)))).toThrow(/changed again and again/);
  });
});

/** Code of a worker that endlessly writes the key files in the same order as `advance` does. */
const ROTATE = `
const { workerData: { dataDir, pems, jwks }, parentPort } = require('node:worker_threads');
const { renameSync, writeFileSync } = require('node:fs');
const put = (name, content) => {
  writeFileSync(dataDir + '/' + name + '.draft', content, { mode: 0o600 });
  renameSync(dataDir + '/' + name + '.draft', dataDir + '/' + name);
};
const ring = (next, retired) => put('signing-keys.json', JSON.stringify({
  next: next === null ? null : { pem: pems[next], useFrom: 0 },
  retired: retired.map((at) => ({ jwk: jwks[at], until: 1e15 })),
}));
put('signing-key.pem', pems[0]);
ring(null, [11]);
parentPort.postMessage('begun');
const cell = new Int32Array(new SharedArrayBuffer(4));
for (let at = 0; ; at = (at + 1) % pems.length) {
  const next = (at + 1) % pems.length;
  const before = (at + pems.length - 1) % pems.length;
  ring(next, [before]);
  ring(next, [at, before]);
  put('signing-key.pem', pems[next]);
  ring(null, [at]);
  Atomics.wait(cell, 0, 0, at % 3 === 0 ? 25 : 1);
}`;

const newPem = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

describe('svc restore and svc backup verify', () => {
  let folder: string;
  let svc: ReturnType<typeof place>['svc'];
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Makes a backup whose two key files are copied from different moments of a rotation. */
  async function mixed(pem: string, ring: string): Promise<void> {
    const { databaseFile } = place();
    ({ svc } = place());
    const store = await openStore({ file: databaseFile, clock: { now: Date.now }, log, autoMigrate: true });
    store.close();
    writeFileSync(join(dataDir, 'signing-key.pem'), pem, { mode: 0o600 });
    writeFileSync(join(dataDir, 'signing-keys.json'), ring, { mode: 0o600 });
    const answer = await svc('backup');
    expect(answer).toMatchObject({ code: 0 });
    folder = answer.out.trim();
  }

  /** @returns the content of both key files before a rotation and after each of its steps */
  async function states(): Promise<string[][]> {
    const scratch = join(dataDir, 'scratch');
    mkdirSync(scratch);
    const steps = await rotationIn(scratch);
    const all = [stateOf(scratch)];
    for (const step of steps) {
      step();
      all.push(stateOf(scratch));
    }
    rmSync(scratch, { recursive: true });
    return all;
  }

  it('svc restore and svc backup verify refuse an old key beside the ring of after its rotation, and say what to do (contract 4)', async () => {
    const all = await states();
    const [pem] = all[0] as [string, string];
    const [, ring] = all.at(-1) as [string, string];
    await mixed(pem, ring);
    writeFileSync(join(dataDir, 'signing-key.pem'), 'the key of now');
    const verified = await svc('backup', 'verify', folder);
    expect(verified).toMatchObject({ code: 1, err: expect.stringContaining('do not match') });
    const refused = await svc('restore', basename(folder), '--yes');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('--new-keys') });
    expect(readFileSync(join(dataDir, 'signing-key.pem'), 'utf8')).toBe('the key of now');
    for (const said of [verified.err, refused.err]) expect(said).not.toContain('PRIVATE');
    expect(await svc('restore', folder, '--yes', '--new-keys')).toMatchObject({ code: 0 });
  });

  it('svc restore and svc backup verify take every state of a rotation, and a ring that cannot be read only without its keys (contract 4)', async () => {
    for (const [pem, ring] of (await states()) as [string, string][]) {
      await mixed(pem, ring);
      expect(await svc('restore', folder, '--yes')).toMatchObject({ code: 0 });
      rmSync(folder, { recursive: true });
    }
    await mixed(newPem(), '{"next":');
    expect((await svc('restore', folder, '--yes')).err).toContain('cannot be compared');
    expect(await svc('restore', folder, '--yes', '--new-keys')).toMatchObject({ code: 0 });
  });
});
