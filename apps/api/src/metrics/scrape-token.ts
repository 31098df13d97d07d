import { createHash, timingSafeEqual } from 'node:crypto';
import { bearerOf, type HeaderValues } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';

/**
 * `SVC_METRICS_TOKEN`: a bearer that reads the metrics and is good for nothing else, so that a scraper needs no
 * account. Only the route that asks for it compares it, hashed and in constant time; everywhere else it is an unknown
 * bearer token.
 */
export class ScrapeToken {
  readonly #digest: Buffer | null;

  constructor(secret: string | null) {
    this.#digest = secret === null ? null : digestOf(secret);
  }

  /** A key pair beside it is the stronger credential, and decides alone (specification 5.1.1). */
  isPresented(headers: HeaderValues): boolean {
    if (this.#digest === null) return false;
    if (headers[HEADERS.accessKey] !== undefined || headers[HEADERS.token] !== undefined) return false;
    const given = bearerOf(headers.authorization);
    return given !== undefined && timingSafeEqual(digestOf(given), this.#digest);
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
