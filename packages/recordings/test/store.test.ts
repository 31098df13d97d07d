import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveRecording } from '../src/storage/live-recording.ts';
import { chunkFile, keyOf } from '../src/storage/places.ts';
import { logRows, pictureBytes, pictureCount } from '../src/storage/recording.ts';
import type { RecordingStore } from '../src/storage/store.ts';
import {
  Clock,
  freshRoot,
  jpeg,
  NO_SCREENSHOT,
  NOON,
  openStore,
  picturesOf,
  png,
  recorded,
} from './support.ts';

let root: string;
let clock: Clock;
let store: RecordingStore;

beforeEach(() => {
  root = freshRoot();
  clock = new Clock();
  store = openStore({ root, now: clock.now });
});

/** Begins a recording and adds `pictures` pictures, one every 250 ms. */
function record(session: string, pictures: number, bytes = 100) {
  const live = store.begin(session, 'all', NO_SCREENSHOT);
  for (let nth = 0; nth < pictures; nth++) {
    live.frame(jpeg(nth, bytes));
    clock.at += 250;
  }
  return live;
}

describe('a recording', () => {
  it('a recording is read as it was recorded, while it runs and when it is complete (contract 11)', async () => {
    const live = record('s1', 3);
    live.line('first line');
    await live.evidence('cart');
    const running = await recorded(store, 's1');
    expect(running.isRunning).toBe(true);
    expect((await picturesOf(running)).map(({ at }) => at - NOON)).toEqual([0, 250, 500, 750]);
    await store.finish(live, true);
    const stored = await recorded(store, 's1');
    expect(stored.isRunning).toBe(false);
    expect(stored.index).toMatchObject({ session: 's1', startedAt: NOON, endedAt: NOON + 750 });
    expect((await picturesOf(stored)).map(({ bytes }) => bytes[5])).toEqual([0, 1, 2, 2]);
    expect(stored.index.marks).toEqual([{ at: NOON + 750, kind: 'evidence', label: 'cart' }]);
    expect(await stored.rows(0, 10)).toEqual([{ seq: 1, at: NOON + 750, line: 'first line' }]);
    expect(pictureBytes(stored.index)).toBe(400);
  });

  it('a recording of single pictures shows nothing of a pause (contract 11)', async () => {
    const live = record('s1', 0);
    const show = (...contents: number[]) => {
      for (const content of contents) {
        live.sample(jpeg(content));
        clock.at += 1_000;
      }
    };
    show(1, 1, 2);
    live.pause();
    show(3);
    live.resume();
    expect(await live.evidence('before the first picture')).toMatchObject({ kept: false });
    // The first picture after the pause may have been taken during the pause, so it is not kept.
    show(3, 4);
    await store.finish(live, true);
    const stored = await picturesOf(await recorded(store, 's1'));
    expect(stored.map(({ bytes }) => bytes[5])).toEqual([1, 2, 4]);
  });

  it('a recording of single pictures has evidence from the driver, or its last picture (contract 11)', async () => {
    const screenshots = [jpeg(7), null];
    const live = store.begin('s1', 'all', async () => screenshots.shift() ?? null);
    live.sample(jpeg(1));
    clock.at += 900;
    expect([await live.evidence(null), await live.failure(null)]).toEqual([{ kept: true }, { kept: true }]);
    await store.finish(live, true);
    const stored = await picturesOf(await recorded(store, 's1'));
    expect(stored.map(({ bytes }) => bytes[5])).toEqual([1, 7, 1]);
  });

  it('a recording is the same after a restart (contract 11)', async () => {
    await store.finish(record('s1', 3), true);
    const before = await recorded(store, 's1');
    const after = await recorded(openStore({ root, now: clock.now }), 's1');
    expect(after.index).toEqual(before.index);
    expect(await picturesOf(after)).toEqual(await picturesOf(before));
  });

  it('a recording is written without a reader, a mark or an end (contract 11)', async () => {
    const live = record('s1', 3);
    const written = () => live.writer.index.chunks.flatMap(({ pictures }) => pictures).length;
    await expect.poll(written, { timeout: 10_000 }).toBe(3);
    await store.finish(live, true);
  });

  it('a recording has files that only the account of the server can read, under no name of a client (contract 11)', async () => {
    const session = '../../escape';
    await store.finish(record(session, 1), true);
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const { mode } = statSync(join(entry.parentPath, entry.name));
      expect(mode & 0o777, entry.name).toBe(entry.isDirectory() ? 0o700 : 0o600);
      expect(entry.name).not.toContain('escape');
    }
    expect(await recorded(store, session)).toBeDefined();
  });

  it('a recording begins further chunks, none of which is much larger than 2 MiB (contract 11)', async () => {
    store = openStore({ root, now: clock.now, recordingBytes: 20_000_000 });
    await store.finish(record('s1', 40, 200_000), true);
    const { index } = await recorded(store, 's1');
    expect(index.chunks.length).toBeGreaterThan(2);
    expect(index.chunks.map((chunk) => chunk.index)).toEqual(index.chunks.map((_, nth) => nth));
    for (const chunk of index.chunks) expect(chunk.pictures.length).toBeLessThanOrEqual(11);
  });

  it('a recording leaves nothing behind when it is not kept (contract 11)', async () => {
    await store.finish(record('s1', 3), false);
    expect(await store.find('s1')).toBeUndefined();
    expect(store.usedBytes).toBe(0);
    expect(readdirSync(root).sort()).toEqual(['open', 'removed', 'temporary']);
    for (const folder of readdirSync(root)) expect(readdirSync(join(root, folder))).toEqual([]);
  });

  it('a recording keeps the newest 12,000 rows of the device log (contract 11)', async () => {
    const live = record('s1', 1);
    for (let second = 0; second < 14; second++) {
      for (let row = 0; row < 1_000; row++) live.line(`line ${second * 1_000 + row + 1}`);
      await live.flush();
    }
    await store.finish(live, true);
    const stored = await recorded(store, 's1');
    expect(logRows(stored.index)).toBe(12_000);
    const [first, ...others] = await stored.rows(0, 20_000);
    expect([first?.seq, first?.line, others.at(-1)?.seq]).toEqual([2_001, 'line 2001', 14_000]);
    expect(await stored.rows(13_999, 10)).toMatchObject([{ seq: 14_000 }]);
    expect(
      readdirSync(join(root, keyOf('s1'))).filter((name) => name.startsWith('log-')).length,
    ).toBeLessThan(14);
  });

  it('a recording cuts long lines and leaves out what comes faster than a log can be read', async () => {
    const live = record('s1', 1);
    for (let row = 0; row < 2_500; row++) live.line('x'.repeat(5_000));
    await store.finish(live, true);
    const rows = await (await recorded(store, 's1')).rows(0, 5_000);
    expect([rows.length, rows[0]?.line.length]).toEqual([2_000, 1_024]);
    expect(store.counts.dropped.lines).toBe(500);
  });

  it('a recording holds nothing of the time in which it is paused (contract 11)', async () => {
    const live = record('s1', 1);
    expect(live.pause()).toEqual({ kept: true });
    clock.at += 1_000;
    live.frame(jpeg(99));
    live.line('a secret');
    expect(await live.evidence(null)).toEqual({ kept: false, why: 'the recording is paused' });
    clock.at += 1_000;
    expect(live.resume()).toEqual({ kept: true });
    await store.finish(live, true);
    const stored = await recorded(store, 's1');
    expect(stored.index.marks.map(({ kind }) => kind)).toEqual(['paused', 'resumed']);
    expect((await picturesOf(stored)).map(({ at }) => at - NOON)).toEqual([0, 2_250]);
    expect(await stored.pictureAt(NOON + 1_000)).toBeUndefined();
    expect(await stored.rows(0, 10)).toEqual([]);
  });

  it('a recording shows the pictures after the last of many pauses (contract 11)', async () => {
    const live = record('s1', 1);
    for (let pause = 0; pause < 600; pause++) {
      live.pause();
      clock.at += 1_000;
      live.resume();
    }
    clock.at += 1_000;
    live.frame(jpeg(2));
    await store.finish(live, true);
    const stored = await recorded(store, 's1');
    expect(stored.index.marks.length).toBe(1_002);
    expect((await stored.pictureAt(clock.at))?.bytes).toEqual(Buffer.from(jpeg(2)));
  });

  it('a recording takes evidence through the driver where there is no preview (contract 11)', async () => {
    const live = store.begin('s1', 'all', async () => png(7));
    expect(await live.evidence('cart')).toEqual({ kept: true });
    expect(await live.failure(null)).toEqual({ kept: true });
    await store.finish(live, true);
    const stored = await recorded(store, 's1');
    expect((await picturesOf(stored)).map(({ type }) => type)).toEqual(['image/png', 'image/png']);
    expect(stored.index.marks.map(({ kind }) => kind)).toEqual(['evidence', 'failure']);
  });

  it('a recording says so when no evidence could be taken (contract 11)', async () => {
    const live = store.begin('s1', 'all', NO_SCREENSHOT);
    expect(await live.evidence(null)).toMatchObject({ kept: false });
    await store.finish(live, true);
    expect(await live.evidence(null)).toMatchObject({ kept: false });
    expect((await recorded(store, 's1')).index.marks).toEqual([]);
  });

  it('a recording keeps its times in order when the clock is set back', async () => {
    const live = record('s1', 2);
    clock.at -= 60 * 60_000;
    for (let nth = 10; nth < 13; nth++) {
      clock.at += 300;
      live.frame(jpeg(nth));
    }
    await store.finish(live, true);
    const times = (await picturesOf(await recorded(store, 's1'))).map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(times).toHaveLength(4);
  });
});

describe('bounds', () => {
  it('a full recording leaves out its newest pictures, but not those of failures and evidence (contract 11)', async () => {
    store = openStore({ root, now: clock.now, recordingBytes: 350 });
    const live = record('s1', 6);
    expect(await live.evidence('late')).toEqual({ kept: true });
    expect(await live.failure('wrong total')).toEqual({ kept: true });
    await store.finish(live, true);
    const { index } = await recorded(store, 's1');
    expect([pictureCount(index), pictureBytes(index)]).toEqual([5, 500]);
    expect(store.counts.dropped.recording).toBe(3);
  });

  it('remove the oldest recordings, and say that they were there (contract 11)', async () => {
    store = openStore({ root, now: clock.now, allBytes: 3_000 });
    for (const id of ['s1', 's2', 's3', 's4']) await store.finish(record(id, 5, 200), true);
    await store.close();
    expect(await store.find('s1')).toMatchObject({ session: 's1', startedAt: NOON });
    expect(await store.find('s4')).toHaveProperty('index');
    expect(store.usedBytes).toBeLessThanOrEqual(3_000);
  });

  it('hold across a restart (contract 11)', async () => {
    for (const id of ['s1', 's2', 's3']) await store.finish(record(id, 5, 200), true);
    const before = store.usedBytes;
    const after = openStore({ root, now: clock.now });
    await after.start();
    expect(after.usedBytes).toBe(before);
    const smaller = openStore({ root, now: clock.now, allBytes: before - 1 });
    await smaller.start();
    await smaller.close();
    expect(smaller.usedBytes).toBeLessThan(before);
    expect(await smaller.find('s1')).not.toHaveProperty('index');
  });

  it('remove what is older than its retention, and all traces of unknown sessions (contract 11)', async () => {
    for (const id of ['s1', 's2', 's3']) await store.finish(record(id, 2), true);
    await store.sweep(clock.at - 600, (session) => session !== 's3');
    expect(await store.find('s1')).not.toHaveProperty('index');
    expect(await store.find('s2')).toHaveProperty('index');
    expect(await store.find('s3')).toBeUndefined();
    await store.sweep(0, () => false);
    expect(await store.find('s1')).toBeUndefined();
    expect(store.usedBytes).toBe(0);
  });

  it('drop what an earlier process began, if it is kept for a failure and there was none (contract 11)', async () => {
    for (const mode of ['failures', 'all'] as const) {
      const live = store.begin(mode, mode, NO_SCREENSHOT);
      live.frame(jpeg(1));
      await store.finish(live, true);
    }
    const after = openStore({ root, now: clock.now });
    for (const session of ['failures', 'all', 'unknown']) await after.dropUnneeded(session);
    expect(await after.find('failures')).toBeUndefined();
    expect(await after.find('all')).toHaveProperty('index');
  });
});

describe('a recording that was interrupted', () => {
  const left: LiveRecording[] = [];
  // Close the files only after each test, so that the test sees the files of a process that was killed.
  afterEach(async () => {
    for (const live of left.splice(0)) await live.writer.close(0);
  });

  /**
   * Leaves the files of a recording as a killed process would, which closes no file.
   * @returns the folder of the recording
   */
  async function interrupted(pictures: number): Promise<string> {
    const live = record('s1', pictures);
    await live.flush();
    left.push(live);
    return join(root, keyOf('s1'));
  }

  it('a recording that was interrupted is complete after a restart (contract 11)', async () => {
    await interrupted(3);
    const after = openStore({ root, now: clock.now });
    const stored = await recorded(after, 's1');
    expect(stored.index).toMatchObject({ startedAt: NOON, endedAt: NOON + 500 });
    expect(await picturesOf(stored)).toHaveLength(3);
    expect(readdirSync(join(root, 'open'))).toEqual([]);
  });

  it('a recording that was interrupted is cut after its last whole picture (contract 11)', async () => {
    const folder = await interrupted(3);
    const file = join(folder, chunkFile(0));
    const content = readFileSync(file);
    for (const [damage, left] of [
      [content.subarray(0, -1), 2],
      [Buffer.concat([content, Buffer.from('half a record')]), 3],
      [Buffer.concat([content.subarray(0, -20), Buffer.alloc(20)]), 2],
    ] as const) {
      writeFileSync(file, damage);
      rmSync(join(folder, 'recording.json'), { force: true });
      writeFileSync(join(root, 'open', keyOf('s1')), '');
      expect(await picturesOf(await recorded(openStore({ root, now: clock.now }), 's1'))).toHaveLength(left);
    }
  });

  it('a recording that was interrupted leaves no temporary file (contract 11)', async () => {
    await interrupted(1);
    writeFileSync(join(root, 'temporary', 'x.part'), 'half');
    appendFileSync(join(root, 'temporary', 'y.part'), 'half');
    await openStore({ root, now: clock.now }).start();
    expect(readdirSync(root)).not.toContain('temporary/x.part');
    const left = readdirSync(root, { recursive: true }).filter((name) => String(name).endsWith('.part'));
    expect(left).toEqual([]);
  });

  it('a recording that was interrupted goes when its session did not fail, or when nothing tells whose it is (contract 11)', async () => {
    const folder = await interrupted(1);
    await openStore({ root, now: clock.now, isKept: () => false }).start();
    expect(readdirSync(root)).not.toContain(keyOf('s1'));
    store = openStore({ root, now: clock.now });
    await interrupted(1);
    writeFileSync(join(folder, chunkFile(0)), 'not a recording');
    await openStore({ root, now: clock.now }).start();
    expect(readdirSync(root)).not.toContain(keyOf('s1'));
  });
});

describe('removal', () => {
  it('the removal of a recording succeeds for all who remove or read it at the same time (contract 11)', async () => {
    for (const session of ['s1', 's2']) await store.finish(record(session, 2), true);
    const before = store.usedBytes;
    const readers = Array.from({ length: 20 }, () => store.find('s1'));
    await Promise.all([store.remove('s1'), store.remove('s1'), ...readers, store.find('s1')]);
    expect(store.usedBytes).toBe(before / 2);
    expect(await store.find('s1')).toEqual({ session: 's1', startedAt: NOON, endedAt: NOON + 500 });
  });

  it('the removal of a recording is remembered (contract 11)', async () => {
    await store.finish(record('s1', 2), true);
    await store.remove('s1');
    await store.remove('s1');
    await store.remove('never recorded');
    expect(await store.find('s1')).toEqual({ session: 's1', startedAt: NOON, endedAt: NOON + 500 });
    expect(await openStore({ root, now: clock.now }).find('s1')).toMatchObject({ session: 's1' });
    expect(await store.find('never recorded')).toBeUndefined();
    expect(readdirSync(root)).not.toContain(keyOf('s1'));
  });
});

describe('a disk that takes no more', () => {
  it('a disk that takes no more stops the recording, which says so and stays readable (contract 11)', async () => {
    const failures: unknown[] = [];
    const warnings: unknown[] = [];
    writeFileSync(join(root, '..', 'file'), '');
    // Every write fails, because the path leads through a file instead of a folder.
    const broken = openStore({
      root: join(root, '..', 'file', 'recordings'),
      now: clock.now,
      failed: (failure) => failures.push(failure),
      warned: (what) => warnings.push(what),
    });
    const live = broken.begin('s1', 'all', NO_SCREENSHOT);
    live.frame(jpeg(1));
    await live.flush();
    live.frame(jpeg(2));
    expect(await live.evidence(null)).toMatchObject({ kept: false });
    expect(failures).toMatchObject([{ session: 's1', error: { code: 'ENOTDIR' } }]);
    await broken.finish(live, true);
    expect((await recorded(broken, 's1')).index.chunks).toEqual([]);
  });
});
