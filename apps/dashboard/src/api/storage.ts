/**
 * Calls `use` with the local storage or session storage of the browser.
 * @returns the result of `use`, or undefined if the browser blocks the storage. What the page wanted to store is then
 * forgotten when the user leaves the page.
 */
export function inStorage<T>(
  use: (storage: Storage) => T,
  kind: 'localStorage' | 'sessionStorage' = 'localStorage',
): T | undefined {
  try {
    return use(window[kind]);
  } catch {
    return undefined;
  }
}
