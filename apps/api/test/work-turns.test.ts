import { setImmediate as otherWork } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WorkTurns } from '../src/reads/work-turns.ts';

/** Works for some milliseconds, as decoding a row does. */
function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

function* rows(count: number, ms: number): Generator<string> {
  for (let row = 0; row < count; row++) {
    busy(ms);
    yield `${row},`;
  }
}

async function read(turns: WorkTurns, texts: Iterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of turns.pieces(texts)) pieces.push(piece);
  return pieces;
}

describe('the work of large reads', () => {
  it('the work of large reads is the same text in pieces, and one piece if it is small', async () => {
    const turns = new WorkTurns();
    expect((await read(turns, rows(40, 0.2))).join('')).toBe([...rows(40, 0)].join(''));
    expect(await read(turns, rows(3, 0))).toEqual(['0,1,2,']);
    expect(await read(turns, [])).toEqual([]);
    expect(await turns.all([1, 2, 3])).toEqual([1, 2, 3]);
  });

  it('ten large reads leave time for other work between two slices', async () => {
    const turns = new WorkTurns();
    let isOver = false;
    const reads = Promise.all(Array.from({ length: 10 }, () => read(turns, rows(10, 1)))).then(() => {
      isOver = true;
    });
    let rounds = 0;
    for (; !isOver; rounds++) await otherWork();
    await reads;
    // Between two of the 100 slices, the server rests, so other work gets at least one round.
    expect(rounds).toBeGreaterThan(100);
  });

  it('a large read that fails gives the next read its turn', async () => {
    const turns = new WorkTurns();
    const failing = function* (): Generator<string> {
      yield 'begun';
      throw new Error('no database');
    };
    await expect(read(turns, failing())).rejects.toThrow('no database');
    expect(await read(turns, ['next'])).toEqual(['next']);
  });
});
