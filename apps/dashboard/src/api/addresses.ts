import { shellTexts } from '../texts/en/shell.ts';

const SIGNED_OUT_PAGES = ['index', 'sign-in', 'forgot-password', 'reset-password', 'watch'] as const;
export type SignedOutPageName = (typeof SIGNED_OUT_PAGES)[number];
/**
 * Names of the pages for signed-in users. A name is the last segment of the page's address (contract 1), and the key
 * under which `shellTexts.pages` contains the page's title.
 */
export type PageName = Exclude<keyof typeof shellTexts.pages, SignedOutPageName>;

/**
 * Address of the dashboard, ending with `/svc/`. It is derived from the address of this script, because a reverse proxy
 * may serve the dashboard below a longer path.
 */
export const SITE = import.meta.url.replace(/assets\/[^/]*$/, '');

/** Address that clients use to reach the server, without a trailing slash. */
export const SERVER = SITE.replace(/\/svc\/$/, '');

/** @returns whether the page is for people who are not signed in */
export function isSignedOutPage(page: string): page is SignedOutPageName {
  return SIGNED_OUT_PAGES.some((each) => each === page);
}

export function pageAddress(page: PageName | SignedOutPageName): string {
  return SITE + (page === 'index' ? '' : page);
}

export function apiAddress(path: string): string {
  return `${SITE}api${path}`;
}

/** @returns the `ws:` or `wss:` address of an API path that is opened as a WebSocket */
export function socketAddress(path: string): string {
  return apiAddress(path).replace(/^http/, 'ws');
}

/**
 * @returns the page to open after the sign-in: `asked` if it is a page of the dashboard, otherwise null, so that a link
 * to the sign-in page cannot send people to another site
 */
export function pageToReturnTo(asked: string | null, site: string = SITE): string | null {
  if (asked === null || !URL.canParse(asked, site)) return null;
  const { href, pathname } = new URL(asked, site);
  const base = new URL(site);
  if (!href.startsWith(base.href)) return null;
  return isPageName(pathname.slice(base.pathname.length)) ? href : null;
}

function isPageName(name: string): boolean {
  return Object.hasOwn(shellTexts.pages, name) && !isSignedOutPage(name);
}

/** @returns the address of the sign-in page, which after the sign-in returns to the page at `from` */
export function signInAddress(from: string = location.href): string {
  const back = pageToReturnTo(from);
  const query = back === null ? '' : `?${new URLSearchParams({ from: back.slice(SITE.length) })}`;
  return pageAddress('sign-in') + query;
}
