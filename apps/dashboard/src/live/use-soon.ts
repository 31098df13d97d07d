import { useCallback, useEffect, useRef } from 'preact/hooks';

/** Events cause at most one call in this time; a call follows the last event. */
const PAUSE_MS = 400;

/** @returns a function that calls `task` after a moment; several calls within this time cause one call of `task` */
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
