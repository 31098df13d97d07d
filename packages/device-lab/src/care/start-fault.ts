import type { StartFault } from '../start-session.ts';

/** Messages of Appium, which refused the request before it reached a driver. */
const OF_REQUEST = [
  /^Could not find a driver for /,
  /^'(?:automationName|platformName)' (?:is required to be present|must be of type string|must not be empty or blank)/,
  /^must be a JSON object$/,
  /^All non-standard capabilities should have a vendor prefix\./,
  /^property '[^']{0,256}' should not exist on both primary /,
  /^The capabilities(?:\.firstMatch)? argument was not valid /,
];

/** Messages of the drivers, and of adb behind them, about a phone that is gone or does not work. */
const OF_PHONE = [
  /\bdevice (?:'[^']{0,256}' )?(?:not found|(?:went )?offline|unauthorized)\b/i,
  /\bno devices connected\b/i,
  /\bno devices\/emulators found\b/i,
  /\bCould not find a connected Android device\b/,
  /\bwas not in the list of connected devices\b/,
  /\binstrumentation process (?:cannot be initialized|has been unexpectedly terminated|is not running)\b/i,
];

const LONGEST = 4_096;

/** @returns why Appium or a driver refused a create, as far as its message says so */
export function startFault(error: unknown): StartFault | undefined {
  const message = String((error as { readonly message?: unknown } | null | undefined)?.message ?? '').slice(
    0,
    LONGEST,
  );
  if (OF_REQUEST.some((each) => each.test(message))) return 'request';
  return OF_PHONE.some((each) => each.test(message)) ? 'phone' : undefined;
}
