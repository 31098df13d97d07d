import { isDriverCrash } from './driver-crash.ts';
import type { SessionEnd } from './driver-sessions.ts';

/**
 * @returns category and reason of an unexpected end of a session, derived from an error message of the automation
 * server (specification 6, 9.2)
 */
export function endOfCause(message: string): SessionEnd {
  if (/^New Command Timeout of /.test(message)) return { category: 'Timeout', reason: message };
  if (/^The process has received SIG/.test(message)) return { category: 'Hub Restart', reason: message };
  if (isDriverCrash(message)) return { category: 'Driver Crash', reason: message };
  return { category: 'Session Lost', reason: message };
}
