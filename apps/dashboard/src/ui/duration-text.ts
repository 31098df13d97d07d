import { texts } from '../texts/en.ts';

/** @returns the duration in its two largest units, such as hours and minutes; a negative duration counts as 0 */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const { hours, minutes, seconds: justSeconds } = texts.durations;
  if (seconds < 60) return justSeconds(seconds);
  if (seconds < 3_600) return minutes(Math.floor(seconds / 60), seconds % 60);
  return hours(Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60));
}
