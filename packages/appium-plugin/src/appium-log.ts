import { LOG_LEVELS, type Log, type LogLevel } from '@svc/auth-core';
import { logger } from 'appium/support.js';

/** Appium's own log as ours: one stream, one format, behind its filters; ours may be quieter. */
export function appiumLog(level: LogLevel): Log {
  const appium = logger.getLogger('svc');
  const least = LOG_LEVELS.indexOf(level);
  const at =
    (name: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: object): void => {
      if (LOG_LEVELS.indexOf(name) < least) return;
      appium[name](fields === undefined ? message : `${message} ${JSON.stringify(fields)}`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const NAMES = '(?:token|sessionToken|leaseToken|password|oldPassword|newPassword|apiKey)';

/**
 * The second line behind the gate (specification 5.5.4): values are masked also where the text was cut inside the
 * value. JSON, JSON inside a JSON string, and the form of `util.inspect`; `\u001b` ends a coloured text.
 */
const LOG_FILTERS = [
  {
    pattern: `("(?:[\\w-]+:)?${NAMES}"\\s*:\\s*")(?:[^"\\\\\\u001b]|\\\\[^])*`,
    flags: 'i',
    replacer: '$1**REDACTED**',
  },
  {
    pattern: `(\\\\"(?:[\\w-]+:)?${NAMES}\\\\"\\s*:\\s*\\\\")(?:[^"\\\\\\u001b]|\\\\(?!"))*`,
    flags: 'i',
    replacer: '$1**REDACTED**',
  },
  {
    pattern: `(\\b${NAMES}'?:\\s*')(?:[^'\\\\\\u001b]|\\\\[^])*`,
    flags: 'i',
    replacer: '$1**REDACTED**',
  },
];

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
