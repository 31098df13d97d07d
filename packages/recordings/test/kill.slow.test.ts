import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freshRoot, openStore, picturesOf, recorded } from './support.ts';

const PROCESS = fileURLToPath(new URL('recording-process.mjs', import.meta.url));
const KILLS = 50;
const SESSIONS = 1_000;
/** Size of the number range of each process. No process begins this many sessions before it is killed. */
const NUMBERS_PER_PROCESS = 100_000;

/**
 * Records sessions in another process, beginning with number `first`, and kills the process at a random time after its
 * first picture.
 * @returns the number of pictures that a reader of each session saw before the process was killed
 */
async function recordAndKill(root: string, first: number): Promise<Map<string, number>> {
  const child = spawn(process.execPath, [PROCESS, root, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((done) => child.once('close', done));
  let text = '';
  await new Promise<void>((begun) => {
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      begun();
    });
  });
  setTimeout(() => child.kill('SIGKILL'), Math.random() * 50);
  await exited;
  const shown = new Map<string, number>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [session = '', count] = line.split(' ');
    if (count !== 'done') shown.set(session, Number(count));
  }
  return shown;
}

it(`nothing that was shown of ${SESSIONS} sessions is lost when the process is killed ${KILLS} times (contract 11)`, {
  timeout: 240_000,
}, async () => {
  const root = freshRoot();
  const shown = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill++)
    for (const [session, count] of await recordAndKill(root, kill * NUMBERS_PER_PROCESS))
      shown.set(session, count);
  expect(shown.size).toBeGreaterThanOrEqual(SESSIONS);
  const store = openStore({ root, now: Date.now, allBytes: 2 ** 40 });
  await store.start();
  for (const [session, count] of shown) {
    const stored = await recorded(store, session);
    const pictures = await picturesOf(stored);
    expect(pictures.length, session).toBeGreaterThanOrEqual(count);
    for (const { bytes } of pictures) expect(new Set(bytes.subarray(2)).size).toBe(1);
    expect(stored.index.endedAt).not.toBeNull();
  }
  expect(readdirSync(join(root, 'open'))).toEqual([]);
  expect(readdirSync(join(root, 'temporary'))).toEqual([]);
});
