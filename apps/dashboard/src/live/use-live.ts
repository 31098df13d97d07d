import type { LiveEvent } from '@svc/contract';
import { useEffect, useRef } from 'preact/hooks';
import { onLiveEvent } from './live-line.ts';
import { useSoon } from './use-soon.ts';

/**
 * Calls `handler` for each event of these types while the component is shown. To learn that events were lost, include
 * the type `history_lost`.
 */
export function useLiveEvents<Type extends LiveEvent['type']>(
  types: readonly Type[],
  handler: (event: LiveEvent<Type>) => void,
): void {
  const latest = useRef(handler);
  latest.current = handler;
  const key = types.join();
  useEffect(() => {
    const ends = types.map((type) => onLiveEvent(type, (event) => latest.current(event)));
    return () => {
      for (const end of ends) end();
    };
  }, [key]);
}

/** Reloads a list after events of these types, and after missed events, because they may have changed the list too. */
export function useReloadOn(types: readonly LiveEvent['type'][], reload: () => void): void {
  useLiveEvents([...types, 'history_lost'], useSoon(reload));
}
