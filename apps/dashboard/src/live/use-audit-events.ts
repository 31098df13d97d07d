import { useLiveEvents } from './use-live.ts';
import { useSoon } from './use-soon.ts';

/** Reloads a list after audit events of interest, and after missed events. For Admins only. */
export function useReloadOnAudit(isMeant: (event: string) => boolean, reload: () => void): void {
  const reloadSoon = useSoon(reload);
  useLiveEvents(['audit', 'history_lost'], ({ type, payload }) => {
    if (type !== 'audit' || isMeant(String(payload.event))) reloadSoon();
  });
}
