/**
 * The token of the link, out of the address bar and the history at once: it stays in this page's memory. The same page
 * opened with another link only changes the fragment, so it begins anew then.
 */
export function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  addEventListener('hashchange', () => location.reload());
  return token;
}
