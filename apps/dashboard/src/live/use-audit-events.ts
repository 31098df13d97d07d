import { useLiveEvents } from './use-live.ts';
import { useSoon } from './use-soon.ts';

/**
 * Reloads a list after each audit event for which `isMeant` returns true, and after missed events. Has an effect only
 * for Admins, because only they receive audit events.
 */
export function useReloadOnAudit(isMeant: (event: string) => boolean, reload: () => void): void {
  const reloadSoon = useSoon(reload);
  useLiveEvents(['audit', 'history_lost'], ({ type, payload }) => {
    if (type !== 'audit' || isMeant(payload.event)) reloadSoon();
  });
}
