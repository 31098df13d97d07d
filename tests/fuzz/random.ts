/** A repeatable stream of random numbers (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** @returns a number from 0 to `below` - 1 */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  one<T>(values: readonly T[]): T {
    return values[this.int(values.length)] as T;
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  some<T>(values: readonly T[], most: number): T[] {
    return Array.from({ length: this.int(most + 1) }, () => this.one(values));
  }
}

/**
 * `FUZZ_SEED`, `FUZZ_TARGETS` and `FUZZ_CREATES` set the length of a run. `pnpm test:slow` and `pnpm fuzz` use them for
 * longer runs.
 */
export const SEED = Number(process.env.FUZZ_SEED ?? 20_260_101);
/** Number of targets with and without a base path together. */
export const TARGETS = Number(process.env.FUZZ_TARGETS ?? 600);
export const CREATES = Number(process.env.FUZZ_CREATES ?? 600);
/** Time limit of a long run. */
export const FUZZ_MS = 60 * 60 * 1000;
