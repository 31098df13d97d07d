const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/** @returns the milliseconds to wait before the next attempt; the wait grows with the number of failures */
export function retryPause(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}
