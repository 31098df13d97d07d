import type { CommandLog } from '@svc/device-lab';

const FLUSH_MS = 1_000;

/** Writes pending commands once a second; `stop` writes the last. */
export function scheduleCommandLog(commands: Pick<CommandLog, 'flush'>): { stop(): void } {
  const timer = setInterval(() => commands.flush(), FLUSH_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      commands.flush();
    },
  };
}
