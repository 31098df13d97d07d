import type { ErrorCode } from '@svc/contract';

/** Input of the origin check, with header values as received. */
export interface OriginFacts {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly secFetchSite: string | undefined;
  /** Whether the request has `x-svc-access-key` or `Authorization: Bearer`, which a page of another site cannot add. */
  readonly carriesOwnCredential: boolean;
}

/** Methods that change nothing. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/**
 * The browser-origin check (specification 5.6). A page of another site can make a browser send the cookie, but it
 * cannot choose `Origin`.
 *
 * @returns the refusal, or null if the request passes
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

/** @returns the Host header as `URL` writes it, so that letter case and default ports do not matter */
function hostOf(scheme: string, host: string | undefined): string | null {
  if (host === undefined || /[/?#@\\\s]/.test(host)) return null;
  return tryUrl(`${scheme}//${host}`)?.host ?? null;
}

/** `SVC_ALLOWED_ORIGINS`: origins (scheme and host) or bare hosts, comma-separated (specification 5.6.3). */
export class AllowedOrigins {
  readonly #origins = new Set<string>();

  /** @returns the allowed origins, and the entries that are neither */
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

  /** @returns whether a browser's `Origin` header is listed, for CORS */
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
