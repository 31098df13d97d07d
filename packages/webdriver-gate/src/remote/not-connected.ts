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
