const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/** Milliseconds before the next try, after so many that failed. */
export function retryPause(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}
