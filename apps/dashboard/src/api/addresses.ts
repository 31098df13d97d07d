/** Pages of the dashboard by the last segment of their address (contract 1). */
export type PageName =
  | 'devices'
  | 'sessions'
  | 'profile'
  | 'users'
  | 'teams'
  | 'api-keys'
  | 'audit'
  | 'command-check'
  | 'settings'
  | 'access'
  | 'api-reference';
export type SignedOutPageName = 'index' | 'sign-in' | 'forgot-password' | 'reset-password';

const PAGES: readonly string[] = [
  'devices',
  'sessions',
  'profile',
  'users',
  'teams',
  'api-keys',
  'audit',
  'command-check',
  'settings',
  'access',
  'api-reference',
] satisfies PageName[];

/**
 * The address of the dashboard, ending with `/svc/`. Derived from the address of the scripts, because a proxy may add a
 * path.
 */
export const SITE = import.meta.url.replace(/assets\/[^/]*$/, '');

/** The address that clients use to reach the server, without a trailing slash. */
export const SERVER = SITE.replace(/\/svc\/$/, '');

export function pageAddress(page: PageName | SignedOutPageName): string {
  return SITE + (page === 'index' ? '' : page);
}

export function apiAddress(path: string): string {
  return `${SITE}api${path}`;
}

/** @returns the address of a WebSocket */
export function socketAddress(path: string): string {
  return apiAddress(path).replace(/^http/, 'ws');
}

/**
 * @returns the page to open after the sign-in: `asked` if it is a page of the dashboard, otherwise null, because a link
 * to the sign-in page must not be able to send people to another site
 */
export function pageToReturnTo(asked: string | null, site: string = SITE): string | null {
  if (asked === null || !URL.canParse(asked, site)) return null;
  const { href, pathname } = new URL(asked, site);
  const base = new URL(site);
  if (!href.startsWith(base.href)) return null;
  return PAGES.includes(pathname.slice(base.pathname.length)) ? href : null;
}

/** @returns the address of the sign-in page, with the current page as the one to return to */
export function signInAddress(from: string = location.href): string {
  const back = pageToReturnTo(from);
  const query = back === null ? '' : `?${new URLSearchParams({ from: back.slice(SITE.length) })}`;
  return pageAddress('sign-in') + query;
}
