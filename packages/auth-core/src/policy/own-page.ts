const LONGEST = 1024;

/** Addresses below `/svc/` that are no pages, or to which no sign-in returns. */
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
 * @returns the address of an own page of the dashboard, as a sign-in may return to it, or null for every other text
 *
 * Every page is one path segment below `/svc/`, so that no spelling of another host (`//`, `\\`, encoded forms, dot
 * segments, control characters that browsers drop) is accepted.
 */
export function ownPage(address: unknown): string | null {
  const found = typeof address === 'string' && address.length <= LONGEST ? PAGE.exec(address) : null;
  if (found === null) return null;
  const [whole, page] = found;
  return page !== undefined && NO_PAGES.has(page) ? null : whole;
}
