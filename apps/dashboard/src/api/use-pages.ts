import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Rows of one response. `next` is the parameter that requests the next page, or null if this is the last page. */
export interface PageOf<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
}

export interface Pages<T> {
  readonly state: 'loading' | 'ready' | 'error';
  readonly rows: readonly T[];
  readonly error: unknown;
  /** Whether a request is in progress. */
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** Loads and appends the next page. */
  more(): void;
  /**
   * Loads all further pages, one after the other, because sorting and filtering in the page need every row. Has no effect
   * if it was called before.
   */
  loadAll(): void;
  /** Loads the first page again. The current rows stay visible until the response arrives. */
  reload(): void;
  /** Replaces the loaded rows by the result of a function. */
  change(rows: (before: readonly T[]) => readonly T[]): void;
}

interface Held<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly error?: unknown;
  readonly state: 'loading' | 'ready' | 'error';
  readonly isLoading: boolean;
}

type Load<T> = (
  before: string | undefined,
  signal: AbortSignal,
  /** Number of rows to request instead of the usual number, if all rows are loaded. */
  large: number | undefined,
) => Promise<PageOf<T>>;

/** Number of rows in a page while all rows are loaded: the largest that the server sends. */
const LARGE = 500;

/**
 * Loads a list from the server page by page. Starts again with the first page if one of `deps` changes, and ignores
 * responses to earlier requests.
 */
export function usePages<T extends { readonly id: string }>(
  load: Load<T>,
  deps: readonly unknown[] = [],
): Pages<T> {
  const [held, setHeld] = useState<Held<T>>({ rows: [], next: null, state: 'loading', isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const ending = useRef(new AbortController());

  const [wantsAll, setWantsAll] = useState(false);

  const ask = useCallback((before: string | undefined, large?: number) => {
    ending.current.abort();
    ending.current = new AbortController();
    const { signal } = ending.current;
    setHeld((now) => ({ ...now, isLoading: true }));
    latest.current(before, signal, large).then(
      ({ rows, next }) => {
        if (signal.aborted) return;
        setHeld((now) => ({
          rows: before === undefined ? rows : joined(now.rows, rows),
          next,
          state: 'ready',
          isLoading: false,
        }));
      },
      (error: unknown) => {
        if (!signal.aborted) setHeld((now) => ({ ...now, error, state: 'error', isLoading: false }));
      },
    );
  }, []);

  useEffect(() => {
    ask(undefined);
    return () => ending.current.abort();
  }, [round, ...deps]);

  const { rows, next, error, state, isLoading } = held;
  const isMissing = wantsAll && next !== null && !isLoading && state === 'ready';
  useEffect(() => {
    if (isMissing && next !== null) ask(next, LARGE);
  }, [isMissing, next]);
  return {
    state,
    rows,
    error,
    isLoading,
    hasMore: next !== null,
    more: () => next !== null && !isLoading && ask(next),
    loadAll: useCallback(() => setWantsAll(true), []),
    reload: useCallback(() => setRound((now) => now + 1), []),
    change: useCallback((work) => setHeld((now) => ({ ...now, rows: work(now.rows) })), []),
  };
}

/**
 * Joins two pages. Leaves out the rows of the second page that the first page contains too: a row moves to the next
 * page if a new row is added between the two requests.
 */
function joined<T extends { readonly id: string }>(before: readonly T[], after: readonly T[]): readonly T[] {
  const known = new Set(before.map(({ id }) => id));
  return [...before, ...after.filter(({ id }) => !known.has(id))];
}

/** Converts a plain array of rows into a page. If it has `limit` rows, the next page starts after the last of them. */
export function pageOf<T extends { readonly id: string }>(rows: readonly T[], limit: number): PageOf<T> {
  return { rows, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}
