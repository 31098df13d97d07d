/**
 * Key in the local storage that is set once this browser has signed in. Without this key, pages that also serve
 * signed-out users do not ask the API who is signed in, because the API would respond with an error.
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

/** Key in the storage of this tab. It is set when a sign-in has ended, so that the sign-in page can say so. */
const ENDED = 'svc-sign-in-ended';

/** Stores in this tab that the sign-in has ended. The sign-in page, which opens next, reads this. */
export function noteEnd(): void {
  store((storage) => storage.setItem(ENDED, 'yes'), 'sessionStorage');
}

/** @returns whether a sign-in has ended in this tab since the last call of this function */
export function takeEnd(): boolean {
  const hasEnded = store((storage) => storage.getItem(ENDED), 'sessionStorage') === 'yes';
  store((storage) => storage.removeItem(ENDED), 'sessionStorage');
  return hasEnded;
}

/**
 * Calls `use` with the local storage or session storage of the browser.
 * @returns the result of `use`, or undefined if the browser blocks the storage
 */
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
