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

/** Uses the local storage, or returns undefined if the browser blocks it. No feature depends on the stored value. */
function store<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
