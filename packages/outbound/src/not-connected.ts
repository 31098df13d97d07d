/** Error for a request that failed before anything was sent. */
export class NotConnected extends Error {
  readonly code = 'ERR_NOT_CONNECTED';
}

/** Error codes that mean that no connection was established. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_NOT_CONNECTED',
]);

/**
 * Explanations for the log, by the error code with which Node.js refuses a certificate. A connection with a refused
 * certificate is closed before the request is sent.
 */
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  // Occurs, for example, if a new authority has the same name as the trusted one.
  CERT_SIGNATURE_FAILURE: 'no trusted authority has signed its certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'no trusted authority has signed its certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  SELF_SIGNED_CERT_IN_CHAIN: 'no trusted authority has signed its certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'no trusted authority has signed its certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'no trusted authority has signed its certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'no trusted authority has signed its certificate',
};

/** Returns whether the error means that nothing was sent, because no connection (or no TLS connection) was made. */
export function isUntouched(error: unknown): boolean {
  const code = codeOf(error);
  return NOT_CONNECTED.has(code) || Object.hasOwn(CERTIFICATES, code);
}

/** Returns a text about the error for the log, with an explanation if the certificate was refused. */
export function causeOf(error: unknown): string {
  const code = codeOf(error);
  const words = Object.hasOwn(CERTIFICATES, code) ? CERTIFICATES[code] : undefined;
  return words === undefined ? String(error) : `${words} (${String(error)})`;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}
