import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PictureCopies } from '../src/storage/picture-copies.ts';

const KIB = 1024;

describe('pictures that wait to be written', () => {
  it('pictures that wait to be written stay as they were until they are written, whatever arrives meanwhile (contract 11, property)', () => {
    const picture = fc.record({ kib: fc.integer({ min: 1, max: 300 }), fill: fc.nat(255) });
    const step = fc.oneof(picture, fc.constant('end' as const), fc.constant('written' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const copies = new PictureCopies();
        const ended: { written: () => void; pictures: (() => void)[] }[] = [];
        let current: (() => void)[] = [];
        for (const each of steps) {
          if (each === 'end') {
            ended.push({ written: copies.endBlock(), pictures: current });
            current = [];
          } else if (each === 'written') {
            ended.shift()?.written();
          } else {
            const copy = copies.copy(new Uint8Array(each.kib * KIB).fill(each.fill));
            current.push(() =>
              expect([copy.length, copy[0], copy.at(-1)]).toEqual([each.kib * KIB, each.fill, each.fill]),
            );
          }
          for (const check of [...current, ...ended.flatMap(({ pictures }) => pictures)]) check();
        }
      }),
    );
  });

  it('pictures that wait to be written take at most two blocks of memory of one recording (contract 11)', () => {
    const copies = new PictureCopies();
    const blockOf = () => {
      const { buffer } = copies.copy(new Uint8Array(KIB));
      return { buffer, written: copies.endBlock() };
    };
    const [first, second, third] = [blockOf(), blockOf(), blockOf()];
    expect(second.buffer).not.toBe(first.buffer);
    expect(third.buffer.byteLength).toBe(KIB);
    first.written();
    expect(blockOf().buffer).toBe(first.buffer);
  });
});
