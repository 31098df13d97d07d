import type { Log } from '../ports/index.ts';

export interface LogEntry {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: object | undefined;
}

export interface SilentLog extends Log {
  readonly entries: readonly LogEntry[];
  /** Returns the messages of one level, or of all levels if `level` is absent. */
  messages(level?: keyof Log): string[];
  clear(): void;
}

/** @returns a log that stores its entries for the test instead of printing them */
export function silentLog(): SilentLog {
  const entries: LogEntry[] = [];
  const keep = (level: keyof Log) => (message: string, fields?: object) => {
    entries.push({ level, message, fields });
  };
  return {
    entries,
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    messages: (level) =>
      entries.filter((entry) => level === undefined || entry.level === level).map(({ message }) => message),
    clear: () => {
      entries.length = 0;
    },
  };
}
