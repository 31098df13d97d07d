import { isRecord } from '@svc/contract';
import { capabilityName, capabilitySets } from './decided-capabilities.ts';

type Fields = Record<string, unknown>;

const NAME = 'newcommandtimeout';
/** Time-out (seconds) that Appium uses for a session without the capability. */
const USUAL_SECONDS = 60;

/**
 * Limits `appium:newCommandTimeout` in all sets of capabilities, in place (`SVC_MAX_IDLE_SECONDS`, contract 14.7). For
 * Appium, 0 means that a session never times out, so it is replaced, too.
 * @param most limit in seconds
 */
export function capIdleTime(capabilities: Fields, most: number): void {
  let isSet = false;
  for (const fields of capabilitySets(capabilities)) {
    for (const [given, value] of Object.entries(fields)) {
      if (value === null || capabilityName(given) !== NAME) continue;
      isSet = true;
      fields[given] = cappedIdleSeconds(value, most);
    }
  }
  if (isSet || most >= USUAL_SECONDS) return;
  const { alwaysMatch } = capabilities;
  capabilities.alwaysMatch = {
    ...(isRecord(alwaysMatch) ? alwaysMatch : {}),
    'appium:newCommandTimeout': most,
  };
}

/** @returns the value, or `most` if it is larger, 0 or not a number of seconds */
function cappedIdleSeconds(value: unknown, most: number): unknown {
  // Drivers also accept a number as text.
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return seconds > 0 && seconds <= most ? value : most;
}
