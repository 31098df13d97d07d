import { decode } from 'jpeg-js';
import { describe, expect, it } from 'vitest';
import { drawScreen } from '../src/virtual-phones/screen.ts';

const AT = Date.UTC(2026, 0, 1, 12, 34, 56);
const IDLE = { udid: 'virtual-1', session: null, at: AT };

const picture = (change: object) => Buffer.from(drawScreen({ ...IDLE, ...change }));

/** Decodes a picture into its grey levels, row by row. */
const greys = (jpeg: Buffer) => {
  const { width, height, data } = decode(jpeg, { formatAsRGBA: true });
  return { width, height, pixels: Array.from({ length: width * height }, (_, at) => data[at * 4] as number) };
};

describe('the screen of a virtual phone', () => {
  it('the screen of a virtual phone is a JPEG with light text on a dark screen (contract 9)', () => {
    const { width, height, pixels } = greys(picture({}));
    expect([width, height]).toEqual([216, 384]);
    const light = pixels.filter((pixel) => pixel > 180).length / pixels.length;
    const dark = pixels.filter((pixel) => pixel < 60).length / pixels.length;
    expect(light).toBeGreaterThan(0.02);
    expect(dark).toBeGreaterThan(0.8);
  });

  it('the screen of a virtual phone shows clock, udid and session (contract 9)', () => {
    for (const change of [{ at: AT + 1_000 }, { udid: 'virtual-2' }, { session: 'Anmeldung ü' }])
      expect(picture(change).equals(picture({}))).toBe(false);
  });

  it('the screen of a virtual phone cuts texts that do not fit (contract 9)', () => {
    const fitting = picture({ session: 'x'.repeat(27), udid: 'y'.repeat(27) });
    expect(picture({ session: 'x'.repeat(300), udid: 'y'.repeat(300) }).equals(fitting)).toBe(true);
  });
});
