import type { Log } from '@svc/auth-core';
import type { CommandLog } from '@svc/device-lab';

const FLUSH_MS = 1_000;
const PRUNE_MS = 60 * 60 * 1000;

/** Writes pending commands once a second and removes old ones; `stop` writes the last. */
export function scheduleCommandLog(commands: CommandLog, log: Log): { stop(): void } {
  const prune = () => {
    try {
      commands.prune();
    } catch (error) {
      log.warn('Old commands could not be removed, trying again later', { cause: String(error) });
    }
  };
  prune();
  const timers = [
    setInterval(() => commands.flush(), FLUSH_MS).unref(),
    setInterval(prune, PRUNE_MS).unref(),
  ];
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      commands.flush();
    },
  };
}
