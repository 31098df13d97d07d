import { leveledLog } from '@svc/api';
import type { Log } from '@svc/auth-core';
import type { LogLevel } from '@svc/settings';
import { logger } from './appium.ts';

/**
 * Our log lines go to Appium's log: one stream, one format (JSON with `--log-format json`), behind its filters; our
 * level may be lower.
 */
export function appiumLog(level: LogLevel): Log {
  const appium = logger.getLogger('svc');
  return leveledLog(level, (at, message, fields) => {
    const hasFields = Object.keys(fields).length > 0;
    appium[at](hasFields ? `${message} ${JSON.stringify(fields)}` : message);
  });
}

const COLOUR = String.raw`(?:\u001b\[\d+m)?`;
const INSPECTED = `'?${COLOUR}:\\s*${COLOUR}`;

/** What follows a name: up to the quote that opens the value, and the value; a colour ends a text too. */
const SECRET_TEXT = [
  // JSON
  String.raw`("\s*:\s*")(?:[^"\\\u001b]|\\[^])*`,
  // JSON inside a JSON string: a quote within the value is escaped twice
  String.raw`(\\+"\s*:\s*\\+")(?:[^"\\\u001b]|\\\\(?:\\["\\]|[^"\\])?|\\[^"\\])*`,
  // util.inspect, which takes the quote that needs no escape
  ...["'", '"', '`'].map((quote) => `(${INSPECTED}${quote})(?:[^${quote}\\\\\\u001b]|\\\\[^])*`),
];

/**
 * The second line behind the gate (specification 5.5.4): values are masked also where the text was cut inside the
 * value. One rule that begins with plain words, since Appium runs every rule over every text it logs.
 */
const LOG_FILTERS = [
  {
    pattern: `(token|password|apikey)(?:${SECRET_TEXT.join('|')})`,
    flags: 'i',
    replacer: `$1${SECRET_TEXT.map((_, index) => `$${index + 2}`).join('')}**REDACTED**`,
  },
  // Addresses an app or a preview is fetched from, and those that a driver or plugin calls this server back at.
  {
    pattern: String.raw`(ticket(?:=|%3D)|svc-callback(?:/|%2F))[\w.~%-]+`,
    flags: 'i',
    replacer: '$1**REDACTED**',
  },
];

/** Read by WebdriverIO: patterns between slashes, separated by commas. What a group of them matches is masked. */
const WDIO_MASKS = 'WDIO_LOG_MASKING_PATTERNS';
const CALLBACK_SECRET = String.raw`/svc-callback\/([\w-]+)/g`;

/**
 * Masks callback addresses in what child processes print with WebdriverIO: that of execute-driver prints the address of
 * each request that it sends, on the standard output of Appium.
 */
export function maskInChildProcesses(environment: NodeJS.ProcessEnv): void {
  const given = environment[WDIO_MASKS];
  environment[WDIO_MASKS] = given ? `${given},${CALLBACK_SECRET}` : CALLBACK_SECRET;
}

interface FilteringLogger {
  loadSecureValuesPreprocessingRules(rules: unknown[]): Promise<{ issues: string[] }>;
}

/** Each load replaces all rules, so the operator's own are loaded with ours. */
export async function installLogFilters(operators: unknown): Promise<void> {
  const own = operators === undefined || operators === null ? [] : [operators].flat();
  const appium = logger.getLogger('svc').unwrap() as unknown as FilteringLogger;
  const { issues } = await appium.loadSecureValuesPreprocessingRules([...own, ...LOG_FILTERS]);
  if (issues.length > 0) throw new Error(`log filters could not be installed: ${issues.length} of them`);
}
