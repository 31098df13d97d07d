import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { lockHolder, takeProcessLock } from '../src/index.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();
const file = () => join(place().folder, 'svc.lock');

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** Starts a process that tries to take the lock, and waits until it reports whether it has the lock. */
async function locker(): Promise<{ child: ChildProcess; outcome: string }> {
  const script = fileURLToPath(new URL('./processes/lock.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, file()], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const [outcome] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, outcome };
}

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'the lock of a database is held until its process ends, by %s too',
  async (signal) => {
    const { child, outcome } = await locker();
    expect(outcome).toBe('held');
    expect(takeProcessLock(file())).toBeNull();
    expect(lockHolder(file())).toEqual({ pid: child.pid, address: '127.0.0.1:4723' });
    child.kill(signal);
    await once(child, 'close');
    // The file that describes the killed holder is still there, but does not count as a lock.
    expect(lockHolder(file())?.pid).toBe(child.pid);
    const lock = takeProcessLock(file());
    lock?.describe({ pid: process.pid, address: null });
    expect(lockHolder(file())).toEqual({ pid: process.pid, address: null });
    lock?.release();
  },
);

it('the lock of a database is refused within the process that has it, which keeps it for all others', async () => {
  const lock = takeProcessLock(file());
  expect(lock).not.toBeNull();
  for (let round = 0; round < 3; round += 1) expect(takeProcessLock(file())).toBeNull();
  expect((await locker()).outcome).toBe('refused');
  lock?.release();
  lock?.release();
  expect((await locker()).outcome).toBe('held');
});

it('the lock of a database leaves no description when it is given back, and files for their owner only', () => {
  const lock = takeProcessLock(file());
  expect(lockHolder(file())).toBeUndefined();
  lock?.describe({ pid: process.pid, address: null });
  for (const each of [file(), `${file()}.json`]) expect(statSync(each).mode & 0o777).toBe(0o600);
  lock?.release();
  expect(existsSync(`${file()}.json`)).toBe(false);
});
