/**
 * Remembers that this browser has signed in before. On a first visit the page sends no request that the API would
 * refuse.
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

/** Storage may be blocked; no feature depends on it. */
function store<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
