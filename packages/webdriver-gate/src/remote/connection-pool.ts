import { Pool } from 'undici';

const CONNECT_MS = 5_000;
/** Of one server; further commands wait. */
const CONNECTIONS = 256;

/**
 * Connections to a server that runs sessions. `ca`: certificate authorities to trust instead of the system's, PEM;
 * null: the system's. A command takes as long as it takes: a server that is gone is noticed by its silence, and the
 * pool is destroyed then.
 */
export function connectionPool(url: string, ca: string | null): Pool {
  return new Pool(url, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS, ...(ca === null ? {} : { ca }) },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** Error codes of a connection that was not made. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** There was no connection, so nothing was sent. */
export function isUntouched(cause: unknown): boolean {
  return NOT_CONNECTED.has(String((cause as { code?: unknown } | null)?.code));
}
