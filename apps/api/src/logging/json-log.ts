import type { Log } from '@svc/auth-core';
import type { LogLevel } from '@svc/settings';
import { pino } from 'pino';
import { leveledLog } from './leveled-log.ts';

/**
 * Creates a log that writes JSON lines to standard output, for programs that do not run inside a host such as Appium,
 * which has its own log.
 */
export function createLog(level: LogLevel): Log {
  const logger = pino({ level, base: { name: 'svc' }, timestamp: pino.stdTimeFunctions.isoTime });
  return leveledLog(level, (at, message, fields) => logger[at](fields, message));
}
