import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useLiveEvents, useReloadOn } from '../../live/use-live.ts';
import {
  type KnownSessions,
  reloadLength,
  type SessionChange,
  withEvent,
  withOlder,
  withReloaded,
} from './merge-sessions.ts';
import { apiQueryOf, type SessionFilters, sortingOf } from './session-filters.ts';

const PAGE = 100;
const MOST_EVENTS = 500;
const NONE: KnownSessions = { rows: [], isAll: false };

export interface SessionList extends KnownSessions {
  readonly state: 'loading' | 'ready' | 'error';
  readonly error: unknown;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  reload(): void;
}

/** Loads the sessions that match the filters page by page, in the wanted order, and applies live events to them. */
export function useSessions(filters: SessionFilters): SessionList {
  const [known, setKnown] = useState(NONE);
  const [loaded, setLoaded] = useState<{ state: SessionList['state']; error: unknown }>(LOADING);
  const [isLoadingMore, setLoadingMore] = useState(false);
  const asked = useRef(0);
  const older = useRef(false);
  /**
   * Events received since the last request was sent. They are also applied to the response of this request, because the
   * server may have created the response before these events.
   */
  const events = useRef<SessionChange[]>([]);
  const status = filters.status === '' ? undefined : filters.status;
  const withEvents = (now: KnownSessions) =>
    events.current.reduce((before, event) => withEvent(before, event, status), now);
  const key = JSON.stringify(filters);
  const { order } = filters;
  const shown = useRef(known);
  shown.current = known;

  const load = useCallback(
    async (fresh: boolean) => {
      asked.current += 1;
      const mine = asked.current;
      events.current = [];
      const pageLength = fresh ? PAGE : reloadLength(shown.current, order, PAGE);
      if (fresh) {
        setKnown(NONE);
        setLoaded(LOADING);
      }
      try {
        const page = await call('listSessions', {
          query: { ...apiQueryOf(filters), limit: `${pageLength}` },
        });
        if (mine !== asked.current) return;
        setKnown((before) => withEvents(withReloaded(before, page, { order, pageLength })));
        setLoaded({ state: 'ready', error: undefined });
      } catch (error) {
        if (mine === asked.current) setLoaded({ state: 'error', error });
      }
    },
    [key],
  );
  useEffect(() => void load(true), [load]);

  // A delayed reload must use the filters that are set when it runs, so it calls the latest `load`.
  const latest = useRef(load);
  latest.current = load;
  // A list by duration contains only sessions that have ended.
  const joins = sortingOf(order).id === 'duration' ? 'session_ended' : 'session_started';
  useReloadOn([joins], () => void latest.current(false));
  useLiveEvents(['session_changed', 'session_ended'], (event) => {
    events.current = [...events.current.slice(-MOST_EVENTS), event];
    setKnown((before) => withEvent(before, event, status));
  });

  const loadMore = async () => {
    const before = known.rows.at(-1)?.id;
    if (older.current || known.isAll || before === undefined) return;
    older.current = true;
    setLoadingMore(true);
    try {
      const query = { ...apiQueryOf(filters), limit: `${PAGE}`, before };
      const page = await call('listSessions', { query });
      setKnown((now) => withEvents(withOlder(now, before, page, PAGE)));
      setLoaded({ state: 'ready', error: undefined });
    } catch (error) {
      setLoaded({ state: 'error', error });
    } finally {
      older.current = false;
      setLoadingMore(false);
    }
  };
  return {
    ...known,
    ...loaded,
    isLoadingMore,
    loadMore: () => void loadMore(),
    reload: () => void load(known.rows.length === 0),
  };
}

const LOADING = { state: 'loading', error: undefined } as const;
