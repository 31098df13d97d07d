import type { Log } from '@svc/auth-core';
import type { LogLevel } from '@svc/settings';
import { pino } from 'pino';
import { leveledLog } from './leveled-log.ts';

/** Creates the log of a program that has no other log. It writes JSON lines to standard output. */
export function createLog(level: LogLevel): Log {
  const logger = pino({ level, base: { name: 'svc' }, timestamp: pino.stdTimeFunctions.isoTime });
  return leveledLog(level, (at, message, fields) => logger[at](fields, message));
}
