/**
 * Reads the token from the fragment of the link and immediately removes it from the address bar and the history, so
 * that it remains only in memory. Reloads the page if another link is opened in it, because only the fragment changes
 * then.
 */
export function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  addEventListener('hashchange', () => location.reload());
  return token;
}
