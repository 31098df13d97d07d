/** Pages of the dashboard by the last part of their address (contract 1). */
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

/** Ends with `/svc/`. The scripts know it, below whatever path a proxy has put the service. */
export const SITE = import.meta.url.replace(/assets\/[^/]*$/, '');

/** Where clients reach the server, as they write it: without a slash at the end. */
export const SERVER = SITE.replace(/\/svc\/$/, '');

export function pageAddress(page: PageName | SignedOutPageName): string {
  return SITE + (page === 'index' ? '' : page);
}

export function apiAddress(path: string): string {
  return `${SITE}api${path}`;
}

/** The same of a WebSocket. */
export function socketAddress(path: string): string {
  return apiAddress(path).replace(/^http/, 'ws');
}

/**
 * Where to go after the sign-in: `asked` when it is one of the dashboard's own pages, else null. Anything else in a
 * link to the sign-in page would make it a way to send people elsewhere.
 */
export function pageToReturnTo(asked: string | null, site: string = SITE): string | null {
  if (asked === null || !URL.canParse(asked, site)) return null;
  const { href, pathname } = new URL(asked, site);
  const base = new URL(site);
  if (!href.startsWith(base.href)) return null;
  return PAGES.includes(pathname.slice(base.pathname.length)) ? href : null;
}

/** The sign-in page, with the way back to the page that is open now. */
export function signInAddress(from: string = location.href): string {
  const back = pageToReturnTo(from);
  const query = back === null ? '' : `?${new URLSearchParams({ from: back.slice(SITE.length) })}`;
  return pageAddress('sign-in') + query;
}
