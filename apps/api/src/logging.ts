import { type Log, type LogLevel, oneLine } from '@svc/auth-core';
import { pino } from 'pino';

/** The log when the host provides none: JSON lines on standard output. */
export function createLog(level: LogLevel): Log {
  const logger = pino({ level, base: { name: 'svc' }, timestamp: pino.stdTimeFunctions.isoTime });
  const at =
    (method: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: object): void =>
      logger[method](fields ?? {}, oneLine(message));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
