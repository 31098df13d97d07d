/**
 * Reads the token of the link and immediately removes it from the address bar and the history; it stays in memory only.
 * Another link to the same open page changes only the fragment, so the page is then reloaded.
 */
export function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  addEventListener('hashchange', () => location.reload());
  return token;
}
