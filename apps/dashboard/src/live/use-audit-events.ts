import { useEffect, useRef } from 'preact/hooks';
import { useLiveEvents } from './use-live.ts';

/** At most one reload in so many milliseconds, the last event included. */
const RELOAD_MS = 400;

/** Loads a list again after rows of the audit trail with such an event, and after any were missed. For Admins. */
export function useReloadOnAudit(isMeant: (event: string) => boolean, reload: () => void): void {
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => () => clearTimeout(waiting.current), []);
  useLiveEvents(['audit', 'history_lost'], ({ type, payload }) => {
    if (type === 'audit' && !isMeant(String(payload.event))) return;
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      latest.current();
    }, RELOAD_MS);
  });
}
