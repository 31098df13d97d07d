import type { Random } from '../ports/index.ts';

/** @returns a random generator (mulberry32) that returns the same bytes for the same seed in every run */
export function seededRandom(seed = 1): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) & 0xff;
  };
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, next);
  return { bytes, uuid: () => uuidFrom(bytes(16)) };
}

/** @returns the text of a UUID v4 with these 16 bytes (contract 1) */
function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const variant = '89ab'[(bytes[8] ?? 0) & 3];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
}
