import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useLiveEvents, useReloadOn } from '../../live/use-live.ts';
import type { LoggedCommand } from './align-commands.ts';

const PAGE = 200;

export interface CommandLog {
  readonly rows: readonly LoggedCommand[];
  readonly state: 'loading' | 'ready' | 'error';
  readonly error: unknown;
  /** Whether the session has more commands after the loaded ones. */
  readonly hasMore: boolean;
  /** Loads the next page of commands. */
  more(): void;
}

/**
 * Loads the commands of a session page by page, beginning with the first. Once the last page is loaded, new commands of
 * a running session are added automatically.
 */
export function useCommandLog(id: string): CommandLog {
  const [log, setLog] = useState<Omit<CommandLog, 'more'>>(EMPTY);
  const last = useRef(0);
  const isBusy = useRef(false);
  const isWanted = useRef(false);
  const atEnd = useRef(false);

  const load = useCallback(async () => {
    isWanted.current = true;
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      while (isWanted.current) {
        isWanted.current = false;
        const query = { after: `${last.current}`, limit: `${PAGE}` };
        const rows = await call('sessionLog', { params: { id }, query });
        last.current = rows.at(-1)?.seq ?? last.current;
        atEnd.current = rows.length < PAGE;
        setLog((before) => ({
          rows: [...before.rows, ...rows],
          state: 'ready',
          error: undefined,
          hasMore: !atEnd.current,
        }));
      }
    } catch (error) {
      setLog((before) => ({ ...before, state: 'error', error }));
    } finally {
      isBusy.current = false;
    }
  }, [id]);
  useEffect(() => void load(), [load]);

  const follow = () => {
    if (atEnd.current) void load();
  };
  useReloadOn([], follow);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvents(['session_command', 'session_ended'], ({ payload }) => {
    if (('sessionId' in payload ? payload.sessionId : payload.id) !== id) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      follow();
    }, GATHERED_MS);
  });
  return { ...log, more: () => void load() };
}

/**
 * Milliseconds for which new commands are collected before they are requested, because a test sends many per second.
 */
const GATHERED_MS = 300;
const EMPTY = { rows: [], state: 'loading', error: undefined, hasMore: false } as const;
