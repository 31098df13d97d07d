/** Whether this browser has signed in before, so that a first visit asks the API nothing it would refuse. */
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

/** Storage may be blocked; nothing depends on it. */
function store<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
