/**
 * `BENCH_SIZE`: `short` is a quick run without reliable results; `usual` runs all benchmarks in about 20 minutes on two
 * cores.
 */
const SIZES = ['short', 'usual', 'long'] as const;
type Size = (typeof SIZES)[number];

const asked = process.env.BENCH_SIZE ?? 'usual';
if (!SIZES.some((size) => size === asked)) {
  console.error(`BENCH_SIZE must be one of ${SIZES.join(', ')}`);
  process.exit(2);
}

/** The size of this run. */
export const SIZE = asked as Size;

export function sized<T>(choice: Readonly<Record<Size, T>>): T {
  return choice[SIZE];
}
