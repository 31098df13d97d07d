import type { ObservedCommand } from './command-log/entry.ts';

/**
 * Messages with which drivers say that their own server or process has died: UiAutomator2 and Espresso, any driver whose
 * server no longer listens, and drivers of browsers.
 */
const CRASHES = [
  /\binstrumentation process (?:is not running|has crashed|has been unexpectedly terminated)\b/,
  /^(?:An unknown server-side error occurred while processing the command\. Original error: )?Could not proxy command to the remote server\. Original error: connect ECONNREFUSED\b/,
  /\b(?:Chromedriver|WebDriverAgent|xcodebuild) (?:process )?(?:has )?(?:exited unexpectedly|crashed|died)\b/i,
];
/**
 * Message of a driver whose connection to its own server broke while a command ran. The server has died, or it has
 * closed an idle connection at the same moment.
 */
const BROKEN_CONNECTION =
  /^(?:An unknown server-side error occurred while processing the command\. Original error: )?Could not proxy command to the remote server\. Original error: (?:socket hang up|(?:read|write) (?:ECONNRESET|EPIPE))\b/;
/** Part of a message that is searched. A longer message quotes what the app shows. */
const SEARCHED = 1_024;

/** @returns whether a driver's error message says that its own server or process has died (contract 14.7) */
export function isDriverCrash(message: string): boolean {
  const start = message.slice(0, SEARCHED);
  return CRASHES.some((crash) => crash.test(start));
}

/** @returns whether a driver's error message leaves open whether its own server has died */
export function isBrokenConnection(message: string): boolean {
  return BROKEN_CONNECTION.test(message.slice(0, SEARCHED));
}

/** @returns the error message of a command that a driver answered with 500, or undefined if the answer has none */
export function failureIn(seen: Pick<ObservedCommand, 'status' | 'response'>): string | undefined {
  // Drivers report their own failures with 500, so the responses of other commands are not read.
  if (seen.status !== 500) return undefined;
  const text = seen.response();
  if (typeof text !== 'string') return undefined;
  try {
    const { value } = JSON.parse(text) as { value?: { message?: unknown } | null };
    const message = value?.message;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
