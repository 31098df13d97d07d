import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Resource<T> {
  readonly state: 'loading' | 'ready' | 'error';
  /** Last loaded value. It stays available while the next value loads and if that fails. */
  readonly value: T | undefined;
  /** Why the last load failed, or undefined if it succeeded. */
  readonly error: unknown;
  /** Whether a request is in progress. */
  readonly isLoading: boolean;
  reload(): void;
  /** Replaces the loaded value, for example after a change whose result is known. */
  set(value: T): void;
  /** Changes the loaded value by a function. Has no effect if nothing has been loaded. */
  change(apply: (value: T) => T): void;
}

/** Internal state of a resource. A value stays after a failed load, so `failed` and `value` can both be set. */
interface Held<T> {
  readonly value?: T;
  readonly error?: unknown;
  readonly failed: boolean;
  readonly isLoading: boolean;
}

/**
 * Loads a value immediately, whenever one of `deps` changes, and when `reload` is called. Ignores responses to earlier
 * requests.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[] = [],
): Resource<T> {
  const [held, setHeld] = useState<Held<T>>({ failed: false, isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const ending = new AbortController();
    setHeld((before) => ({ ...before, isLoading: true }));
    latest.current(ending.signal).then(
      (value) => {
        if (!ending.signal.aborted) setHeld({ value, failed: false, isLoading: false });
      },
      (error: unknown) => {
        if (!ending.signal.aborted)
          setHeld((before) => ({ ...before, error, failed: true, isLoading: false }));
      },
    );
    return () => ending.abort();
  }, [round, ...deps]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  const set = useCallback((value: T) => setHeld({ value, failed: false, isLoading: false }), []);
  const change = useCallback(
    (apply: (value: T) => T) =>
      setHeld((before) => ('value' in before ? { ...before, value: apply(before.value as T) } : before)),
    [],
  );
  const { value, error, failed, isLoading } = held;
  const state = failed ? 'error' : 'value' in held ? 'ready' : 'loading';
  return { state, value, error, isLoading, reload, set, change };
}
