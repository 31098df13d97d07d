import { type buildConnector, Pool } from 'undici';

/** Of one server; further commands wait. */
const CONNECTIONS = 256;

/**
 * Connections to a server that runs sessions, made by `connect`. A command takes as long as it takes: a server that is
 * gone is noticed by its silence, and the pool is destroyed then.
 */
export function connectionPool(url: string, connect: buildConnector.connector): Pool {
  return new Pool(url, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** A connection that ends before anything is sent. */
export class NotConnected extends Error {
  readonly code = 'ERR_NOT_CONNECTED';
}

/** Error codes of a connection that was not made. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_NOT_CONNECTED',
]);

/** There was no connection, so nothing was sent. */
export function isUntouched(cause: unknown): boolean {
  return NOT_CONNECTED.has(String((cause as { code?: unknown } | null)?.code));
}
