import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRecord, FILE_HEAD, RECORD, recordsIn } from '../src/storage/format.ts';
import { type Chunk, type Mark, pictureAt, pictureBytes } from '../src/storage/recording.ts';
import { Clock, freshRoot, jpeg, NO_SCREENSHOT, openStore, picturesOf, recorded } from './support.ts';

const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 30) };

describe('any preview', () => {
  const frames = fc.array(
    fc.record({ content: fc.nat(3), afterMs: fc.nat(700), bytes: fc.integer({ min: 4, max: 300 }) }),
    { maxLength: 60 },
  );

  it('any preview gives at most 4 pictures a second, each unlike the one before, within the bytes of a session (contract 11)', async () => {
    await fc.assert(
      fc.asyncProperty(frames, fc.integer({ min: 100, max: 3_000 }), async (shown, recordingBytes) => {
        const clock = new Clock();
        const store = openStore({ root: freshRoot(), now: clock.now, recordingBytes });
        const live = store.begin('s1', 'all', NO_SCREENSHOT);
        for (const { content, afterMs, bytes } of shown) {
          live.frame(jpeg(content, bytes));
          clock.at += afterMs;
        }
        await store.finish(live, true);
        const stored = await recorded(store, 's1');
        const pictures = await picturesOf(stored);
        expect(pictureBytes(stored.index)).toBeLessThanOrEqual(recordingBytes);
        for (const [nth, picture] of pictures.entries()) {
          const before = pictures[nth - 1];
          if (before === undefined) continue;
          expect(picture.at - before.at).toBeGreaterThanOrEqual(250);
          expect(picture.bytes.equals(before.bytes)).toBe(false);
        }
        await store.remove('s1');
      }),
      RUNS,
    );
  });
});

describe('any moment', () => {
  const times = fc.uniqueArray(fc.nat(1_000), { maxLength: 40 }).map((all) => all.toSorted((a, b) => a - b));

  it('any moment has the last picture before it, unless the recording was paused then (contract 11)', () => {
    fc.assert(
      fc.property(times, times, fc.nat(1_100), fc.integer({ min: 1, max: 7 }), (shown, toggled, at, size) => {
        const chunks: Chunk[] = [];
        for (let from = 0; from < shown.length; from += size) {
          const pictures = shown
            .slice(from, from + size)
            .map((time) => ({ at: time, offset: time, bytes: 1, type: 'image/jpeg' as const }));
          chunks.push({ index: chunks.length, pictures });
        }
        chunks.push({ index: chunks.length, pictures: [] });
        const marks = toggled.map(
          (time, nth): Mark => ({ at: time, kind: nth % 2 === 0 ? 'paused' : 'resumed' }),
        );
        const isPaused = toggled.filter((time) => time <= at).length % 2 === 1;
        const expected = isPaused ? undefined : shown.findLast((time) => time <= at);
        expect(pictureAt({ chunks, marks }, at)?.picture.at).toBe(expected);
      }),
      { numRuns: 10 * RUNS.numRuns },
    );
  });
});

describe('any file', () => {
  it('a recording file that ends anywhere gives every record that was whole, and nothing else (contract 11)', () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 });
    fc.assert(
      fc.property(payloads, fc.nat(600), (all, cutAt) => {
        const records = all.map((payload, at) => encodeRecord(RECORD.jpeg, at, payload));
        const file = Buffer.concat([FILE_HEAD, ...records]);
        const cut = file.subarray(0, cutAt);
        const found = recordsIn(cut);
        let end = FILE_HEAD.length;
        const whole = records.filter(({ length }) => {
          end += length;
          return end <= cut.length;
        });
        expect(found.records.map(({ payload }) => [...payload])).toEqual(
          all.slice(0, whole.length).map((payload) => [...payload]),
        );
        expect(recordsIn(cut.subarray(0, found.whole))).toEqual(found);
      }),
      { numRuns: 10 * RUNS.numRuns },
    );
  });

  it('random bytes are never read as records, with or without the head of a recording', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(recordsIn(Buffer.from(bytes)).records).toEqual([]);
        const { records } = recordsIn(Buffer.concat([FILE_HEAD, bytes]));
        expect(records).toEqual([]);
      }),
      { numRuns: 10 * RUNS.numRuns },
    );
  });
});
