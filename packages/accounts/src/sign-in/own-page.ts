const LONGEST = 1024;

/**
 * Names below `/svc/` that a sign-in never redirects to. They are not pages of the dashboard, or they are pages for
 * signing in.
 */
const NO_PAGES = new Set([
  'api',
  'oauth',
  'oidc',
  'scim',
  'mcp',
  'sign-in',
  'forgot-password',
  'reset-password',
]);

const PAGE = /^\/svc\/([a-z0-9][a-z0-9-]*)?(?:\?[\w.~!$&()*+,;=:@/?%-]*)?(?:#[\w.~!$&()*+,;=:@/?%-]*)?$/;

/**
 * @returns the address if it is a page of the dashboard to which a sign-in may return, otherwise null
 *
 * Only one path segment below `/svc/` is accepted. This excludes every way to write the address of another host (`//`,
 * `\\`, encoded characters, dot segments, control characters that browsers drop).
 */
export function ownPage(address: unknown): string | null {
  const found = typeof address === 'string' && address.length <= LONGEST ? PAGE.exec(address) : null;
  if (found === null) return null;
  const [whole, page] = found;
  return page !== undefined && NO_PAGES.has(page) ? null : whole;
}
