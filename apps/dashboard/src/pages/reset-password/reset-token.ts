/**
 * Reads the token from the fragment of the link and immediately removes it from the address bar and the history, so
 * that it remains only in memory. If the user opens another link on this page, only the fragment changes. The browser
 * then does not load the page again, so this function reloads it.
 */
export function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  addEventListener('hashchange', () => location.reload());
  return token;
}
