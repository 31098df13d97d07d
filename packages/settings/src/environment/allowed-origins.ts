interface ParsedOrigin {
  readonly scheme: string;
  /** Host and port in lower case, without the scheme's default port. */
  readonly host: string;
}

export function parseOrigin(text: string): ParsedOrigin | null {
  const url = URL.parse === undefined ? tryUrl(text) : URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.host === '') return null;
  return { scheme: url.protocol, host: url.host };
}

export function tryUrl(text: string): URL | null {
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
export function hostOf(scheme: string, host: string | undefined): string | null {
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
