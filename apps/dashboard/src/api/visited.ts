/**
 * Key in the local storage that remembers that this browser has signed in before. Without it, a page does not ask the
 * API for the caller, because on a first visit the API would refuse.
 */
const VISITED = 'svc-signed-in';

export function noteVisit(): void {
  store((storage) => storage.setItem(VISITED, 'yes'));
}

export function forgetVisit(): void {
  store((storage) => storage.removeItem(VISITED));
}

export function hasVisited(): boolean {
  return store((storage) => storage.getItem(VISITED)) === 'yes';
}

/** Key in the storage of this tab that tells the sign-in page that a sign-in has ended. */
const ENDED = 'svc-sign-in-ended';

/** Remembers for the sign-in page, which opens next in this tab, that the sign-in has ended. */
export function noteEnd(): void {
  store((storage) => storage.setItem(ENDED, 'yes'), 'sessionStorage');
}

/** @returns whether a sign-in has ended in this tab since the last call of this function */
export function takeEnd(): boolean {
  const hasEnded = store((storage) => storage.getItem(ENDED), 'sessionStorage') === 'yes';
  store((storage) => storage.removeItem(ENDED), 'sessionStorage');
  return hasEnded;
}

/** Uses a storage, or returns undefined if the browser blocks it. No feature depends on the stored values. */
function store<T>(
  use: (storage: Storage) => T,
  kind: 'localStorage' | 'sessionStorage' = 'localStorage',
): T | undefined {
  try {
    return use(window[kind]);
  } catch {
    return undefined;
  }
}
