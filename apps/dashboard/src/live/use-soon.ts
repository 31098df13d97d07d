import { useCallback, useEffect, useRef } from 'preact/hooks';

/**
 * Delay in milliseconds between an event and the call of the task. Events within this delay share the call, so that a
 * burst of events causes few requests.
 */
const PAUSE_MS = 400;

/** @returns a function that calls `task` after `PAUSE_MS`; further calls before then have no effect */
export function useSoon(task: () => void): () => void {
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(task);
  latest.current = task;
  useEffect(() => () => clearTimeout(waiting.current), []);
  return useCallback(() => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      latest.current();
    }, PAUSE_MS);
  }, []);
}
