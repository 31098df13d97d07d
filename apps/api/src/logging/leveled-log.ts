import type { Log } from '@svc/auth-core';
import { LOG_LEVELS, type LogLevel } from '@svc/settings';
import { logFields, logMessage } from './log-fields.ts';

/** Writes one line of the log. `fields` contain no secrets, and their size is limited. */
type WriteLine = (level: LineLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
type LineLevel = Exclude<LogLevel, 'silent'>;

const none = (): void => undefined;

/**
 * Creates a log that writes its lines with `write`. Calls below the level `least` do nothing. Secrets are masked, and
 * line breaks and control characters are replaced, so that a client cannot forge a line.
 */
export function leveledLog(least: LogLevel, write: WriteLine): Log {
  const at = (level: LineLevel): Log['info'] =>
    LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)
      ? none
      : (message, fields = {}) => write(level, logMessage(message), logFields(fields));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
