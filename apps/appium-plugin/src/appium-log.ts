import { leveledLog } from '@svc/api';
import type { Log } from '@svc/auth-core';
import type { LogLevel } from '@svc/settings';
import { logger } from './appium.ts';

/**
 * Creates a log that writes the lines of svc to Appium's log, so that both are in one stream, in one format (JSON with
 * `--log-format json`), and pass Appium's filters. The log level of svc applies in addition to Appium's.
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
 * Patterns of the text between the name of a secret and the end of its value. The group matches the part up to the
 * opening quote, which stays in the log. The rest is the value, which is masked. A value ends at its closing quote or
 * at a color code.
 */
const SECRET_TEXT = [
  // Value in JSON.
  String.raw`("\s*:\s*")(?:[^"\\\u001b]|\\[^])*`,
  // Value in JSON inside a JSON string, where a quote within the value is escaped twice.
  String.raw`(\\+"\s*:\s*\\+")(?:[^"\\\u001b]|\\\\(?:\\["\\]|[^"\\])?|\\[^"\\])*`,
  // Value printed by `util.inspect`, which chooses a kind of quote that needs no escape in the value.
  ...["'", '"', '`'].map((quote) => `(${INSPECTED}${quote})(?:[^${quote}\\\\\\u001b]|\\\\[^])*`),
];

/**
 * Filters that mask secrets in Appium's log if svc has failed to remove them from a request (specification 5.5.4), even
 * in a text that was cut within a value. There are few filters, and their patterns begin with plain words, because
 * Appium applies every filter to every text that it logs.
 */
const LOG_FILTERS = [
  {
    pattern: `(token|password|apikey)(?:${SECRET_TEXT.join('|')})`,
    flags: 'i',
    replacer: `$1${SECRET_TEXT.map((_, index) => `$${index + 2}`).join('')}**REDACTED**`,
  },
  // Masks tickets in addresses of apps and previews, the addresses at which drivers and plugins call this server back,
  // and tokens of svc wherever a client has put them, such as in the query of an address. Of a signed token, the header
  // stays, which holds no secret. It contains no other beginning of one, so that a text of many takes linear time.
  {
    pattern: String.raw`(ticket(?:=|%3D)|svc-callback(?:/|%2F)|svc[atl]_|eyJ(?:(?!eyJ[\w-]{8})[\w-]){8,512}(?:\.|%2E))[\w.~%-]+`,
    flags: 'i',
    replacer: '$1**REDACTED**',
  },
];

/**
 * Environment variable that WebdriverIO reads. It contains patterns between slashes, separated by commas; WebdriverIO
 * masks the text that a group in a pattern matches.
 */
const WDIO_MASKS = 'WDIO_LOG_MASKING_PATTERNS';
const CALLBACK_SECRET = String.raw`/svc-callback\/([\w-]+)/g`;

/**
 * Masks callback addresses in the output of child processes that use WebdriverIO. The child process of execute-driver
 * prints the address of each of its requests to the standard output of Appium.
 */
export function maskInChildProcesses(environment: NodeJS.ProcessEnv): void {
  const given = environment[WDIO_MASKS];
  environment[WDIO_MASKS] = given ? `${given},${CALLBACK_SECRET}` : CALLBACK_SECRET;
}

interface FilteringLogger {
  loadSecureValuesPreprocessingRules(rules: unknown[]): Promise<{ issues: string[] }>;
}

/** Installs the log filters of svc together with those of the operator, because each load replaces all filters. */
export async function installLogFilters(operators: unknown): Promise<void> {
  const own = operators === undefined || operators === null ? [] : [operators].flat();
  const appium = logger.getLogger('svc').unwrap() as unknown as FilteringLogger;
  const { issues } = await appium.loadSecureValuesPreprocessingRules([...own, ...LOG_FILTERS]);
  if (issues.length > 0) throw new Error(`log filters could not be installed: ${issues.length} of them`);
}
