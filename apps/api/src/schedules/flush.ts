const FLUSH_MS = 1_000;

/** A log that queues its entries in memory until `flush` writes them. `flush` does not throw. */
interface QueuedLog {
  flush(): void;
}

/** Writes the queued entries of the logs once a second. `stop` writes the remaining entries. */
export function scheduleFlush(logs: readonly QueuedLog[]): { stop(): void } {
  const flush = () => {
    for (const log of logs) log.flush();
  };
  const timer = setInterval(flush, FLUSH_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      flush();
    },
  };
}
