import { inStorage } from './storage.ts';

/**
 * Key in the local storage that is set once this browser has signed in. Without this key, pages that also serve
 * signed-out users do not ask the API who is signed in, because the API would respond with an error.
 */
const VISITED = 'svc-signed-in';

export function noteVisit(): void {
  inStorage((storage) => storage.setItem(VISITED, 'yes'));
}

export function forgetVisit(): void {
  inStorage((storage) => storage.removeItem(VISITED));
}

export function hasVisited(): boolean {
  return inStorage((storage) => storage.getItem(VISITED)) === 'yes';
}

/** Key in the storage of this tab. It is set when a sign-in has ended, so that the sign-in page can say so. */
const ENDED = 'svc-sign-in-ended';

/** Stores in this tab that the sign-in has ended. The sign-in page, which opens next, reads this. */
export function noteEnd(): void {
  inStorage((storage) => storage.setItem(ENDED, 'yes'), 'sessionStorage');
}

/** @returns whether a sign-in has ended in this tab since the last call of this function */
export function takeEnd(): boolean {
  const hasEnded = inStorage((storage) => storage.getItem(ENDED), 'sessionStorage') === 'yes';
  inStorage((storage) => storage.removeItem(ENDED), 'sessionStorage');
  return hasEnded;
}
