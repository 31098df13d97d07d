import type { ErrorCode } from '@svc/contract';

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

/** @returns whether the HTTP method changes nothing, so that the request needs no origin check */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
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

interface ParsedOrigin {
  readonly scheme: string;
  /** Host and port in lower case, without the scheme's default port. */
  readonly host: string;
}

function parseOrigin(text: string): ParsedOrigin | null {
  const url = URL.parse === undefined ? tryUrl(text) : URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.host === '') return null;
  return { scheme: url.protocol, host: url.host };
}

function tryUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * @returns the Host header in the spelling of `URL`, so that letter case and default ports do not matter, or null if it
 * is not a valid host
 */
function hostOf(scheme: string, host: string | undefined): string | null {
  if (host === undefined || /[/?#@\\\s]/.test(host)) return null;
  return tryUrl(`${scheme}//${host}`)?.host ?? null;
}

/**
 * Origins of other sites that may send requests with a cookie. `SVC_ALLOWED_ORIGINS` lists them, comma-separated, as
 * origins (scheme and host) or bare hosts (specification 5.6.3).
 */
export class AllowedOrigins {
  readonly #origins = new Set<string>();

  /** @returns the allowed origins, and the entries that are neither an origin nor a host */
  static parse(list: string): { allowed: AllowedOrigins; unusable: string[] } {
    const allowed = new AllowedOrigins();
    const unusable: string[] = [];
    for (const entry of list.split(',').map((part) => part.trim())) {
      if (entry !== '' && !allowed.#add(entry)) unusable.push(entry);
    }
    return { allowed, unusable };
  }

  static none(): AllowedOrigins {
    return new AllowedOrigins();
  }

  get isEmpty(): boolean {
    return this.#origins.size === 0;
  }

  has(origin: ParsedOrigin): boolean {
    return this.#origins.has(`${origin.scheme}//${origin.host}`);
  }

  /**
   * @returns whether the value of a browser's `Origin` header is an allowed origin, so that the response gets CORS
   * headers
   */
  lists(originHeader: string): boolean {
    const parsed = parseOrigin(originHeader);
    return parsed !== null && this.has(parsed);
  }

  #add(entry: string): boolean {
    // `URL` accepts a star as a host name. The entry is refused, because it was meant as a pattern and would match
    // nothing.
    if (entry.includes('*')) return false;
    if (entry.includes('://')) return this.#addOrigin(entry);
    // A bare host stands for both schemes, each with its own default port.
    return ['http:', 'https:'].map((scheme) => this.#addHost(scheme, entry)).some((added) => added);
  }

  #addOrigin(entry: string): boolean {
    const parsed = parseOrigin(entry);
    if (parsed === null || !/^[a-z]+:\/\/[^/?#@\\\s]+\/?$/i.test(entry)) return false;
    this.#origins.add(`${parsed.scheme}//${parsed.host}`);
    return true;
  }

  #addHost(scheme: string, entry: string): boolean {
    const host = hostOf(scheme, entry);
    if (host !== null) this.#origins.add(`${scheme}//${host}`);
    return host !== null;
  }
}
