import type { StartFault } from '../start-session.ts';

/** Appium found no driver for the request. */
const NO_DRIVER = /^Could not find a driver for /;

/** Messages of the drivers, and of adb behind them, about a phone that is gone or does not work. */
const OF_PHONE = [
  /\bdevice (?:'[^']{0,256}' )?(?:not found|offline|unauthorized)\b/i,
  /\bno (?:such )?devices?(?:\/emulators)? (?:was |were )?(?:found|connected)\b/i,
  /\bis not in the list of connected devices\b/i,
  /\bwas not in the list of connected devices\b/i,
  /\binstrumentation (?:process )?(?:cannot be initialized|did not start|has crashed|crashed)\b/i,
  /\bcannot start the '?\S{1,128} application\b/i,
];

const LONGEST = 4_096;

/** @returns why Appium or a driver refused a create, as far as its message says so */
export function startFault(error: unknown): StartFault | undefined {
  const message = String((error as { readonly message?: unknown } | null | undefined)?.message ?? '').slice(
    0,
    LONGEST,
  );
  if (NO_DRIVER.test(message)) return 'request';
  return OF_PHONE.some((each) => each.test(message)) ? 'phone' : undefined;
}
