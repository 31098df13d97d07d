import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { H264Pictures, NotH264 } from '../src/formats/h264-pictures.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const START = [0, 0, 0, 1];
const unit = (type: number, ...content: number[]) => [...START, type, ...content];
const set = (content: number) => unit(0x67, 66, 0, content);
const pictureSet = (content: number) => unit(0x68, content);
const key = (content: number) => unit(0x65, 0x80, content);
const delta = (content: number) => unit(0x41, 0x80, content);
/** @returns a slice that is not the first slice of its picture */
const further = (type: number, content: number) => unit(type, 0x40, content);

interface Seen {
  readonly bytes: number[];
  readonly isKey: boolean;
}

function read(bytes: readonly number[], cuts: readonly number[] = []): Seen[] {
  const seen: Seen[] = [];
  const pictures = new H264Pictures(({ bytes: all, isKey }) => seen.push({ bytes: [...all], isKey }));
  const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < at.length; i++) pictures.push(Uint8Array.from(bytes.slice(at[i - 1], at[i])));
  pictures.flush();
  return seen;
}

describe('the output of an H.264 encoder (contract 2 /control)', () => {
  const stream = [
    ...[...unit(0x09, 0xf0), ...set(1), ...pictureSet(2), ...unit(0x06, 5, 1)],
    ...[...key(3), ...further(0x65, 4), ...delta(5), ...unit(0x41, 0x80, 6), ...further(0x41, 7)],
    ...[...set(8), ...pictureSet(9), ...pictureSet(10), ...key(11)],
  ];
  const pictures = [
    { bytes: [...set(1), ...pictureSet(2), ...key(3), ...further(0x65, 4)], isKey: true },
    { bytes: delta(5), isKey: false },
    { bytes: [...unit(0x41, 0x80, 6), ...further(0x41, 7)], isKey: false },
    { bytes: [...set(8), ...pictureSet(9), ...pictureSet(10), ...key(11)], isKey: true },
  ];

  it('the output of an H.264 encoder is split into the same pictures wherever it is cut; key pictures carry their parameters (property) (contract 2 /control)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { maxLength: 20 }), (cuts) => {
        expect(read(stream, cuts)).toEqual(pictures);
      }),
    );
  });

  it('the output of an H.264 encoder is understood with short start codes and zeros between units (contract 2 /control)', () => {
    const short = (bytes: readonly number[]) => bytes.slice(1);
    const zeros = [0, 0, 0];
    expect(
      read([...zeros, ...short(set(1)), ...zeros, ...pictureSet(2), ...short(key(3)), ...delta(4)]),
    ).toEqual([
      { bytes: [...set(1), ...pictureSet(2), ...key(3)], isKey: true },
      { bytes: delta(4), isKey: false },
    ]);
  });

  it('the output of an H.264 encoder gives a picture when the encoder pauses, and continues with the next start code (contract 2 /control)', () => {
    const seen: number[] = [];
    const parser = new H264Pictures(({ bytes }) => seen.push(bytes.at(-1) ?? 0));
    parser.push(Uint8Array.from([...set(1), ...key(2)]));
    expect(seen).toEqual([]);
    parser.flush();
    parser.flush();
    expect(seen).toEqual([2]);
    parser.push(Uint8Array.from(delta(3)));
    parser.flush();
    expect(seen).toEqual([2, 3]);
    parser.push(Uint8Array.from([...delta(4), ...START]));
    parser.flush();
    expect(seen).toEqual([2, 3]);
    parser.push(Uint8Array.from(delta(5).slice(4)));
    parser.flush();
    expect(seen).toEqual([2, 3, 4, 5]);
  });

  it('the output of an H.264 encoder gives nothing before its first parameters (contract 2 /control)', () => {
    expect(read([...key(1), ...delta(2)])).toEqual([]);
  });

  it('an H.264 output that continues inside a picture after a pause cannot be continued (contract 2 /control)', () => {
    const parser = new H264Pictures(() => undefined);
    parser.push(Uint8Array.from([...set(1), ...key(2)]));
    parser.flush();
    expect(() => parser.push(Uint8Array.from([9, 9]))).toThrow(NotH264);
  });

  it.each([
    ['text', [...Buffer.from('/system/bin/sh: screenrecord: not found\n')]],
    ['a long parameter set', [...unit(0x67, ...new Array(4_096).fill(1)), ...key(1)]],
  ])('an H.264 output that is %s is refused (contract 2 /control)', (_, bytes) => {
    expect(() => read(bytes)).toThrow(NotH264);
  });

  it('the output of an H.264 encoder is refused when a picture exceeds 8 MiB, as one unit or as many (contract 2 /control)', () => {
    const chunk = new Uint8Array(1024 * 1024).fill(7);
    const parser = new H264Pictures(() => undefined);
    parser.push(Uint8Array.from([...set(1), ...key(2)]));
    const push = (prefix: number[]) => {
      for (let i = 0; i < 9; i++) {
        parser.push(Uint8Array.from(prefix));
        parser.push(chunk);
      }
    };
    expect(() => push([])).toThrow(NotH264);
    const other = new H264Pictures(() => undefined);
    expect(() => {
      for (let i = 0; i < 9; i++) other.push(Buffer.concat([Uint8Array.from(further(0x41, 1)), chunk]));
    }).toThrow(NotH264);
  });

  it('the output of an H.264 encoder is refused when a picture has more than 1,024 slices, because each of them takes memory (contract 2 /control)', () => {
    const slices = (count: number) => [
      ...[...set(1), ...pictureSet(2), ...key(3)],
      ...Array.from({ length: count - 1 }, () => further(0x65, 4)).flat(),
    ];
    expect(read(slices(1_024))).toHaveLength(1);
    expect(() => read(slices(1_025))).toThrow(NotH264);
  });

  it('a slice of an H.264 picture keeps no bytes that were dropped after it in memory (contract 2 /control)', () => {
    const parser = new H264Pictures(() => undefined);
    parser.push(Uint8Array.from([...set(1), ...key(2)]));
    const before = process.memoryUsage().arrayBuffers;
    const filler = Buffer.alloc(4 * 1024 * 1024, 7);
    for (let i = 0; i < 40; i++) {
      parser.push(Buffer.concat([Uint8Array.from(unit(0x0c)), filler]));
      parser.push(Uint8Array.from([...further(0x41, 3), ...START]));
    }
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 1024 * 1024);
  });

  it('a large unit of an H.264 stream that arrives in tiny chunks is not copied for each of them (contract 2 /control)', () => {
    const parser = new H264Pictures(() => undefined);
    parser.push(Uint8Array.from([...set(1), ...key(2)]));
    parser.push(new Uint8Array(4 * 1024 * 1024).fill(7));
    const allocate = vi.spyOn(Buffer, 'allocUnsafe');
    for (let i = 0; i < 100; i++) parser.push(Uint8Array.from([1, 2, 3]));
    const allocated = allocate.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
    allocate.mockRestore();
    expect(allocated).toBeLessThan(16 * 1024 * 1024);
  });
});
