import fc from 'fast-check';
import { decode } from 'jpeg-js';
import { describe, expect, it } from 'vitest';
import { blockOf, jpegOf } from '../src/virtual-phones/block-jpeg.ts';
import { drawScreen } from '../src/virtual-phones/screen.ts';

const greys = (jpeg: Uint8Array) => {
  const { width, height, data } = decode(Buffer.from(jpeg), { formatAsRGBA: true });
  return { width, height, pixels: Array.from({ length: width * height }, (_, at) => data[at * 4] as number) };
};

describe('the picture of a virtual phone', () => {
  it('is a JPEG that a decoder reads as it was drawn (property)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(24, 96, 240), { minLength: 128, maxLength: 128 }), (drawn) => {
        const blocks = [drawn.slice(0, 64), drawn.slice(64)].map((pixels) => blockOf(pixels));
        const { width, height, pixels } = greys(jpegOf(blocks, 1));
        expect([width, height]).toEqual([8, 16]);
        const off = pixels.map((pixel, at) => Math.abs(pixel - (drawn[at] as number)));
        expect(Math.max(...off)).toBeLessThan(48);
      }),
    );
  });

  it('(contract 9) shows clock, udid and session', () => {
    const at = Date.UTC(2026, 0, 1, 12, 34, 56);
    const idle = { udid: 'virtual-1', session: null, at };
    const picture = (change: object) => Buffer.from(drawScreen({ ...idle, ...change }));
    expect(greys(picture({}))).toMatchObject({ width: 216, height: 384 });
    for (const change of [
      { at: at + 1_000 },
      { at: at + 500 },
      { udid: 'virtual-2' },
      { session: 'Anmeldung ü' },
    ])
      expect(picture(change).equals(picture({}))).toBe(false);
    expect(picture({ session: 'x'.repeat(300), udid: 'y'.repeat(300) }).length).toBeLessThan(20_000);
  });
});
