import { GenerationalCache } from '@svc/auth-core';

const MINUTE = 60_000;

/**
 * Texts of times without the seconds, by minute. They are cached, because most times in responses are in the same few
 * minutes.
 */
const beginnings = new GenerationalCache<number, string>(10_000);

/** Returns a time in the format of responses: ISO 8601 in UTC with milliseconds (contract 1). */
export function instant(ms: number): string;
export function instant(ms: number | null): string | null;
export function instant(ms: number | null): string | null {
  if (ms === null) return null;
  const minute = Math.floor(ms / MINUTE);
  const inMinute = ms - minute * MINUTE;
  const milliseconds = String(inMinute % 1000).padStart(3, '0');
  return `${beginningOf(minute)}${String(Math.floor(inMinute / 1000)).padStart(2, '0')}.${milliseconds}Z`;
}

function beginningOf(minute: number): string {
  const known = beginnings.get(minute);
  if (known !== undefined) return known;
  const text = new Date(minute * MINUTE).toISOString().slice(0, -'ss.mmmZ'.length);
  beginnings.set(minute, text);
  return text;
}
