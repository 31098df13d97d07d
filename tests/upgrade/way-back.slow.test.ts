import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { svc } from '../accounts/support/svc-command.ts';
import { freshDataDir, runNode, startApi, startLab } from '../support/lab.ts';
import { contentOf, makeRelease, putDatabase, rawDatabase } from './support/databases.ts';

const API = createRequire(import.meta.url).resolve('@svc/api/main.js');
const KILLS = 4;

const backups = (dataDir: string) =>
  readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('-upgrade'));
const environment = (dataDir: string) => ({ PORT: '0', SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' });

it('a start says both lines, brings the tables up to date after a backup, and is ready (specification 9.1.6)', async () => {
  const dataDir = freshDataDir();
  makeRelease('1.x', dataDir);
  const before = contentOf(dataDir);
  const server = await startApi({ dataDir });
  const output = server.output();
  expect(output.indexOf('Syncing database schema')).toBeGreaterThan(-1);
  expect(output.indexOf('Database schema in sync')).toBeGreaterThan(
    output.indexOf('Syncing database schema'),
  );
  expect((await server.api('/health/ready')).status).toBe(200);
  expect(existsSync(join(dataDir, 'upgrade.json'))).toBe(false);
  await server.stop();
  expect(contentOf(dataDir)).toEqual({ ...before, isWhole: true });
  expect(backups(dataDir)).toHaveLength(1);
  const again = await startApi({ dataDir });
  await again.stop();
  expect(backups(dataDir)).toHaveLength(1);
});

it('a start that fails after the upgrade puts back what was before: the port is taken (specification 9.1.3)', async () => {
  const dataDir = freshDataDir();
  makeRelease('2.13', dataDir);
  const before = contentOf(dataDir);
  const other = createTcpServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  const { port } = other.address() as AddressInfo;
  for (let round = 0; round < 2; round += 1) {
    const failing = runNode(API, { env: { ...environment(dataDir), PORT: String(port) } });
    expect(await failing.exited).toMatchObject({ code: 1 });
    expect(failing.output()).toContain('again as they were before it');
    expect(failing.output()).toContain('EADDRINUSE');
    expect(contentOf(dataDir)).toEqual(before);
    expect(existsSync(join(dataDir, 'upgrade.json'))).toBe(false);
  }
  other.close();
  const server = await startApi({ dataDir });
  await server.stop();
  expect(contentOf(dataDir).rows).toEqual(before.rows);
  expect(contentOf(dataDir).history?.at(-1)).toMatch(/^00/);
  expect(contentOf(dataDir).history?.length).toBeGreaterThan(before.history?.length ?? 0);
});

it('a start that fails within puts it back too: the key of the audit trail is damaged (specification 9.1.3)', async () => {
  const dataDir = freshDataDir();
  makeRelease('2.13', dataDir);
  writeFileSync(join(dataDir, 'audit-key'), 'no key');
  const before = contentOf(dataDir);
  const failing = runNode(API, { env: environment(dataDir) });
  expect(await failing.exited).toMatchObject({ code: 1 });
  expect(failing.output()).toContain('audit-key is not a key of an audit trail');
  expect(contentOf(dataDir)).toEqual(before);
  expect(readFileSync(join(dataDir, 'audit-key'), 'utf8')).toBe('no key');
});

it('an older version takes back what a newer one upgraded and never answered with (specification 9.1.3)', async () => {
  const dataDir = freshDataDir();
  makeRelease('2.13', dataDir);
  expect(await svc(dataDir, ['upgrade'])).toMatchObject({ code: 0 });
  const raw = rawDatabase(dataDir);
  raw.exec("insert into kysely_migration values ('9999-future', '2030-01-01T00:00:00.000Z')");
  raw.close();
  const server = await startApi({ dataDir });
  expect(server.output()).toContain('again as they were before it');
  await server.stop();
  expect(contentOf(dataDir).history).not.toContain('9999-future');
  // Once the server has responded, nothing is rolled back automatically.
  const later = rawDatabase(dataDir);
  later.exec("insert into kysely_migration values ('9999-future', '2030-01-01T00:00:00.000Z')");
  later.close();
  const refused = runNode(API, { env: environment(dataDir) });
  expect(await refused.exited).toMatchObject({ code: 1 });
  expect(refused.output()).toContain('newer version of svc (it has been through 9999-future)');
});

it('killed with SIGKILL at random moments of its first start, the server starts again whole (specification 9.1.6)', {
  timeout: 180_000,
}, async () => {
  const original = freshDataDir();
  makeRelease('2.12', original);
  const before = contentOf(original);
  const first = freshDataDir();
  putDatabase(original, first);
  const began = performance.now();
  await (await startApi({ dataDir: first })).stop();
  const took = performance.now() - began;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const dataDir = freshDataDir();
    putDatabase(original, dataDir);
    const server = runNode(API, { env: environment(dataDir) });
    await pause(((kill + Math.random()) / KILLS) * took);
    server.child.kill('SIGKILL');
    await server.exited;
    const again = await startApi({ dataDir });
    expect((await again.api('/health/ready')).status).toBe(200);
    await again.stop();
    expect(contentOf(dataDir)).toEqual({ ...before, isWhole: true });
  }
});

it('the lab upgrades as the API alone does, and answers (specification 9.1.6)', async () => {
  const dataDir = freshDataDir();
  makeRelease('2.14', dataDir);
  const before = contentOf(dataDir);
  const lab = await startLab({ dataDir, env: { SVC_LAB_DEVICES: '0' } });
  expect(lab.output()).toContain('backed up before the upgrade');
  expect(existsSync(join(dataDir, 'upgrade.json'))).toBe(false);
  await lab.stop();
  expect(contentOf(dataDir).rows).toEqual(before.rows);
});
