import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Resource<T> {
  readonly state: 'loading' | 'ready' | 'error';
  /** The last loaded value, which stays while the next is loading and if that fails. */
  readonly value: T | undefined;
  /** Why the last load failed, or undefined if it succeeded. */
  readonly error: unknown;
  /** A request is in progress. */
  readonly isLoading: boolean;
  reload(): void;
  /** Replaces the loaded value, for example after a change whose result is known. */
  set(value: T): void;
  /** Changes the loaded value, if there is one. */
  change(apply: (value: T) => T): void;
}

/** `state` is `loading` until there is a first value or error. */
interface Held<T> {
  readonly value?: T;
  readonly error?: unknown;
  readonly failed: boolean;
  readonly isLoading: boolean;
}

/** Loads now, when one of `deps` changes, and when `reload` is called. Outdated responses are ignored. */
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
