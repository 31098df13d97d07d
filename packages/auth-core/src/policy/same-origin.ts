import type { ErrorCode } from '@svc/contract';

/** What the origin check looks at; header values as received. */
export interface OriginFacts {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly secFetchSite: string | undefined;
  /** `x-svc-access-key` or `Authorization: Bearer` is present: not a browser riding on a cookie. */
  readonly carriesOwnCredential: boolean;
}

/** Methods that change nothing. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/**
 * The browser-origin check (specification 5.6): answers the refusal, or null. A page of another site can make a
 * browser send the cookie, but cannot choose `Origin`.
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

interface ParsedOrigin {
  readonly scheme: string;
  /** Lower case, without the scheme's default port. */
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

/** The Host header in the form `URL` gives, so that letter case and default ports do not matter. */
function hostOf(scheme: string, host: string | undefined): string | null {
  if (host === undefined || /[/?#@\\\s]/.test(host)) return null;
  return tryUrl(`${scheme}//${host}`)?.host ?? null;
}

/** `SVC_ALLOWED_ORIGINS`: origins (scheme and host) or bare hosts, comma-separated (specification 5.6.3). */
export class AllowedOrigins {
  readonly #origins = new Set<string>();

  /** Answers the entries that are neither; they are left out. */
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

  /** For CORS: whether a browser's `Origin` header is listed. */
  lists(originHeader: string): boolean {
    const parsed = parseOrigin(originHeader);
    return parsed !== null && this.has(parsed);
  }

  #add(entry: string): boolean {
    // `URL` accepts a star as a host name, but its author meant a pattern, which is not supported.
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
