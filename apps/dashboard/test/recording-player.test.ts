import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chunkAt,
  clockText,
  fragmentOf,
  latestBefore,
  momentIn,
  stepFrom,
} from '../src/pages/sessions/recording/moments.ts';
import { readChunk } from '../src/pages/sessions/recording/read-chunk.ts';

const iso = (at: number) => new Date(at).toISOString();

describe('the moment of a recording (contract 11)', () => {
  it('the moment of a recording shows the newest item that began at it or before (contract 11)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.nat(60), (times, at) => {
        const sorted = [...times].sort((a, b) => a - b);
        expect(latestBefore(sorted, at, (time) => time)).toBe(sorted.findLast((time) => time <= at));
      }),
    );
  });

  it('the moment of a recording is in the chunk that began last (contract 11)', () => {
    const chunks = [0, 100].map((from, index) => ({ index, from: iso(from), to: iso(from + 50) }));
    expect([99, 100, 5_000].map((at) => chunkAt(chunks, at)?.index)).toEqual([0, 1, 1]);
    expect(chunkAt(chunks, -1)).toBeUndefined();
  });

  it('the moment of a recording moves from command to command and stops at both ends (contract 11)', () => {
    const commands = [10, 20, 20, 30].map((at, seq) => ({ seq, at: iso(at) }));
    expect(stepFrom(commands, 10, 1)?.at).toBe(iso(20));
    expect(stepFrom(commands, 30, -1)?.seq).toBe(2);
    expect(stepFrom(commands, 30, 1)).toBeUndefined();
    expect(stepFrom(commands, 10, -1)).toBeUndefined();
  });

  it('the moment of a recording is named by the address (contract 11)', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }), (date) => {
        expect(momentIn(fragmentOf(date.getTime()))).toBe(date.getTime());
      }),
    );
    expect(['', '#', '#at=', '#at=now', '#x=1'].map(momentIn)).toEqual([null, null, null, null, null]);
  });

  it.each([
    [-5, '0:00.0'],
    [7_540, '0:07.5'],
    [59_960, '1:00.0'],
    [3_723_000, '1:02:03.0'],
  ])('%d ms is %s', (ms, text) => {
    expect(clockText(ms)).toBe(text);
  });
});

describe('a chunk (contract 11)', () => {
  const part = (at: number, image: string, bytes = image.length) =>
    `${JSON.stringify({ at: iso(at), bytes, type: 'image/jpeg' })}\n${image}`;
  const read = (text: string) => readChunk(new TextEncoder().encode(text));

  it('a chunk is its pictures, each behind its line (contract 11)', async () => {
    const frames = read(part(1, 'a\n{b') + part(2, '') + part(3, 'c'));
    expect(frames.map(({ at }) => at)).toEqual([1, 2, 3]);
    expect(await Promise.all(frames.map(({ image }) => image.text()))).toEqual(['a\n{b', '', 'c']);
    expect(frames[0]?.image.type).toBe('image/jpeg');
  });

  it('a recording chunk that was cut off ends with its last whole picture (contract 11)', () => {
    expect(read(part(1, 'a') + part(2, 'b', 9))).toHaveLength(1);
    expect(read(`${part(1, 'a')}{"at"`)).toHaveLength(1);
    expect(read('')).toEqual([]);
  });
});
