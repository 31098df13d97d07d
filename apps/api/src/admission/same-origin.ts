import type { ErrorCode } from '@svc/contract';
import { type AllowedOrigins, hostOf, parseOrigin, tryUrl } from '@svc/settings';
import { isSafe } from '../http/rate-category.ts';

/** Facts about a request that the origin check needs, with header values as received. */
export interface OriginFacts {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly secFetchSite: string | undefined;
  /**
   * Whether the request has `x-svc-access-key` or `Authorization: Bearer`. Such a request needs no origin check,
   * because a page of another site cannot add these headers.
   */
  readonly carriesOwnCredential: boolean;
}

/**
 * Checks that a request with a cookie comes from a page of this server or of an allowed origin (specification 5.6). A
 * page of another site can make the browser send the cookie, but the header `Origin` then names that site.
 *
 * @returns the error code of the refusal, or null if the request passes
 */
export function originRefusal(facts: OriginFacts, allowed: AllowedOrigins): ErrorCode | null {
  if (isSafe(facts.method) || facts.carriesOwnCredential) return null;
  const stated = facts.origin ?? facts.referer;
  if (stated === undefined || stated === '') return 'CSRF: Origin or Referer header required';
  const from = parseOrigin(stated);
  if (from === null) return 'CSRF: invalid Origin/Referer';
  if (allowed.has(from)) return null;
  if (facts.secFetchSite === 'cross-site') return 'CSRF: Origin/Referer mismatch';
  return from.host === hostOf(from.scheme, facts.host) ? null : 'CSRF: Origin/Referer mismatch';
}

/**
 * @returns whether the `Host` header is a name that only this server has. Comparing it with `Origin` is not enough: a
 * site can let its own name resolve to the address of this server (DNS rebinding), and then both headers contain the
 * name of that site. This is not possible with an IP address, a loopback name or the host of the public URL
 */
export function isOwnName(host: string | undefined, publicUrl: string | null): boolean {
  const url = host === undefined ? null : tryUrl(`http://${host}`);
  if (url === null) return false;
  const { hostname } = url;
  return (
    hostname.startsWith('[') ||
    /^[\d.]+$/.test(hostname) ||
    /^(?:.+\.)?localhost$/.test(hostname) ||
    (publicUrl !== null && hostname === tryUrl(publicUrl)?.hostname)
  );
}
