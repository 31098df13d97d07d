import { useEffect, useRef } from 'preact/hooks';
import { type LiveEvent, onLiveEvent } from './live-line.ts';

/** Calls `handler` for each event of these types while the component is shown. `history_lost` is one of them if named. */
export function useLiveEvents(types: readonly string[], handler: (event: LiveEvent) => void): void {
  const latest = useRef(handler);
  latest.current = handler;
  const key = types.join();
  useEffect(() => {
    const ends = key.split(',').map((type) => onLiveEvent(type, (event) => latest.current(event)));
    return () => {
      for (const end of ends) end();
    };
  }, [key]);
}

/** At most one reload in so many milliseconds, the last event included. */
const RELOAD_MS = 400;

/** Loads a list again after events of these types, and after any were missed. */
export function useReloadOn(types: readonly string[], reload: () => void): void {
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(waiting.current), []);
  useLiveEvents([...types, 'history_lost'], () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      reload();
    }, RELOAD_MS);
  });
}
