import { useEffect, useRef } from 'preact/hooks';
import { useLiveEvents } from './use-live.ts';

/** Events cause at most one reload in this time; the reload includes the last event. */
const RELOAD_MS = 400;

/** Reloads a list after audit events of interest, and after missed events. For Admins only. */
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
