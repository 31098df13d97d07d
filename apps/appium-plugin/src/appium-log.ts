import { leveledLog } from '@svc/api';
import type { Log } from '@svc/auth-core';
import type { LogLevel } from '@svc/settings';
import { logger } from './appium.ts';

/**
 * Writes the log lines of svc to Appium's log, so that there is one stream in one format (JSON with `--log-format
 * json`) with Appium's filters. The level of svc may be lower than Appium's.
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

/**
 * Text after a name: up to the quote that opens the value (kept), and the value (masked). A color also ends a value.
 */
const SECRET_TEXT = [
  // JSON
  String.raw`("\s*:\s*")(?:[^"\\\u001b]|\\[^])*`,
  // JSON inside a JSON string, in which a quote within the value is escaped twice
  String.raw`(\\+"\s*:\s*\\+")(?:[^"\\\u001b]|\\\\(?:\\["\\]|[^"\\])?|\\[^"\\])*`,
  // util.inspect, which uses the kind of quote that needs no escape
  ...["'", '"', '`'].map((quote) => `(${INSPECTED}${quote})(?:[^${quote}\\\\\\u001b]|\\\\[^])*`),
];

/**
 * Filters that also mask what the gate should have removed (specification 5.5.4), even if a text was cut within a
 * value. There are few rules, and they begin with plain words, because Appium runs every rule on every text it logs.
 */
const LOG_FILTERS = [
  {
    pattern: `(token|password|apikey)(?:${SECRET_TEXT.join('|')})`,
    flags: 'i',
    replacer: `$1${SECRET_TEXT.map((_, index) => `$${index + 2}`).join('')}**REDACTED**`,
  },
  // Tickets in addresses of apps and previews, and addresses at which drivers and plugins call this server back.
  {
    pattern: String.raw`(ticket(?:=|%3D)|svc-callback(?:/|%2F))[\w.~%-]+`,
    flags: 'i',
    replacer: '$1**REDACTED**',
  },
];

/** Read by WebdriverIO: patterns between slashes, separated by commas. The text that a group matches is masked. */
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

/** Each load replaces all rules, so the operator's rules are loaded together with those of svc. */
export async function installLogFilters(operators: unknown): Promise<void> {
  const own = operators === undefined || operators === null ? [] : [operators].flat();
  const appium = logger.getLogger('svc').unwrap() as unknown as FilteringLogger;
  const { issues } = await appium.loadSecureValuesPreprocessingRules([...own, ...LOG_FILTERS]);
  if (issues.length > 0) throw new Error(`log filters could not be installed: ${issues.length} of them`);
}
