/*
 * A baseline JPEG of grey blocks (ITU-T T.81). A virtual screen is made of few different blocks: each is transformed
 * once and kept, so that a picture costs a fraction of a millisecond, where an encoder of pixels needs tens of them.
 */

export const BLOCK = 8;
const PIXELS = BLOCK * BLOCK;
/** One step for every frequency: sharp enough for text, and flat blocks stay flat. */
const STEP = 16;

/** 8 by 8 pixels, transformed and coded; the mean is coded against the block before. */
export interface Block {
  readonly mean: number;
  /** Codes and how many bits each has, one after the other. */
  readonly codes: readonly number[];
}

/** Position of each coefficient in the order in which they are coded. */
const ZIGZAG: readonly number[] = Array.from({ length: PIXELS }, (_, at) => at).sort((a, b) => {
  const [ax, ay, bx, by] = [a % BLOCK, a >> 3, b % BLOCK, b >> 3];
  const diagonal = ax + ay - (bx + by);
  if (diagonal !== 0) return diagonal;
  return (ax + ay) % 2 === 0 ? ax - bx : ay - by;
});
const COSINE: readonly number[] = Array.from(
  { length: PIXELS },
  (_, at) =>
    Math.cos(((2 * (at % BLOCK) + 1) * (at >> 3) * Math.PI) / 16) * (at >> 3 === 0 ? Math.SQRT1_2 : 1),
);

/*
 * Codes of our own, which a JPEG carries with it: 4 bits for each size of a mean; for the rest 1 bit for the end of a
 * block and 9 for every other symbol.
 */
const MEAN_SIZES = 12;
const END_OF_BLOCK = [0, 1];
const SIXTEEN_ZEROS = 0xf0;
const SYMBOLS: readonly number[] = [
  ...Array.from({ length: 160 }, (_, at) => (Math.floor(at / 10) << 4) | ((at % 10) + 1)),
  SIXTEEN_ZEROS,
];
const CODE_OF = new Map(SYMBOLS.map((symbol, at) => [symbol, 0x100 + at]));

/** `pixels`: 64 greys, row by row. */
export function blockOf(pixels: readonly number[]): Block {
  const quantized = ZIGZAG.map((at) => Math.round(frequency(pixels, at % BLOCK, at >> 3) / STEP));
  const [mean = 0, ...rest] = quantized;
  const codes: number[] = [];
  let zeros = 0;
  for (const value of rest) {
    if (value === 0) {
      zeros += 1;
      continue;
    }
    for (; zeros >= 16; zeros -= 16) codes.push(CODE_OF.get(SIXTEEN_ZEROS) as number, 9);
    const size = sizeOf(value);
    codes.push(CODE_OF.get((zeros << 4) | size) as number, 9, bitsOf(value, size), size);
    zeros = 0;
  }
  if (zeros > 0) codes.push(...END_OF_BLOCK);
  return { mean, codes };
}

function frequency(pixels: readonly number[], u: number, v: number): number {
  let sum = 0;
  for (let at = 0; at < PIXELS; at++) {
    const cosines = (COSINE[u * BLOCK + (at % BLOCK)] as number) * (COSINE[v * BLOCK + (at >> 3)] as number);
    sum += ((pixels[at] ?? 0) - 128) * cosines;
  }
  return sum / 4;
}

function sizeOf(value: number): number {
  return 32 - Math.clz32(Math.abs(value));
}

function bitsOf(value: number, size: number): number {
  return value >= 0 ? value : value + (1 << size) - 1;
}

/** `blocks`: row by row, `columns` in each. */
export function jpegOf(blocks: readonly Block[], columns: number): Uint8Array {
  const bits = new Bits();
  let before = 0;
  for (const { mean, codes } of blocks) {
    const difference = mean - before;
    before = mean;
    const size = sizeOf(difference);
    bits.put(size, 4);
    if (size > 0) bits.put(bitsOf(difference, size), size);
    for (let at = 0; at < codes.length; at += 2) bits.put(codes[at] as number, codes[at + 1] as number);
  }
  return Buffer.concat([headOf(columns * BLOCK, (blocks.length / columns) * BLOCK), bits.end()]);
}

class Bits {
  readonly #bytes: number[] = [];
  #pending = 0;
  #count = 0;

  put(value: number, count: number): void {
    this.#pending = (this.#pending << count) | value;
    this.#count += count;
    while (this.#count >= 8) {
      this.#count -= 8;
      const byte = (this.#pending >> this.#count) & 0xff;
      this.#bytes.push(byte);
      // A zero tells it from a marker.
      if (byte === 0xff) this.#bytes.push(0);
    }
    this.#pending &= (1 << this.#count) - 1;
  }

  end(): Uint8Array {
    if (this.#count > 0) this.put((1 << (8 - this.#count)) - 1, 8 - this.#count);
    return Buffer.from([...this.#bytes, 0xff, 0xd9]);
  }
}

function headOf(width: number, height: number): Buffer {
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...segment(0xdb, [0, ...Array.from({ length: PIXELS }, () => STEP)]),
    ...segment(0xc0, [8, ...size, 1, 1, 0x11, 0]),
    ...segment(0xc4, [
      0,
      ...lengths({ 4: MEAN_SIZES }),
      ...Array.from({ length: MEAN_SIZES }, (_, at) => at),
    ]),
    ...segment(0xc4, [0x10, ...lengths({ 1: 1, 9: SYMBOLS.length }), 0, ...SYMBOLS]),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
  ]);
}

function segment(marker: number, content: readonly number[]): number[] {
  const length = content.length + 2;
  return [0xff, marker, length >> 8, length & 0xff, ...content];
}

/** How many codes there are of each length, 1 to 16. */
function lengths(counts: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: 16 }, (_, at) => counts[at + 1] ?? 0);
}
