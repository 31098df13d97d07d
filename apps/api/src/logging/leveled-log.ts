import { type Log, logFields, logMessage } from '@svc/auth-core';
import { LOG_LEVELS, type LogLevel } from '@svc/settings';

/** Writes one line. `fields` are clean and bounded. */
type WriteLine = (level: LineLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
type LineLevel = Exclude<LogLevel, 'silent'>;

const none = (): void => undefined;

/**
 * A log over any stream of lines: what is below the level costs a call of an empty function, secrets are masked, and a
 * sender's line breaks and control characters forge no line of their own.
 */
export function leveledLog(least: LogLevel, write: WriteLine): Log {
  const at = (level: LineLevel): Log['info'] =>
    LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)
      ? none
      : (message, fields = {}) => write(level, logMessage(message), logFields(fields));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
