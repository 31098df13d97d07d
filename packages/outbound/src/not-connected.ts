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

/** What is wrong with a certificate, by the code of the error; nothing is sent to a server that shows such a one. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  // As of a new authority with the name of the one that is trusted.
  CERT_SIGNATURE_FAILURE: 'no trusted authority has signed its certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'no trusted authority has signed its certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  SELF_SIGNED_CERT_IN_CHAIN: 'no trusted authority has signed its certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'no trusted authority has signed its certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'no trusted authority has signed its certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'no trusted authority has signed its certificate',
};

/** There was no connection, so nothing was sent. */
export function isUntouched(error: unknown): boolean {
  const code = codeOf(error);
  return NOT_CONNECTED.has(code) || Object.hasOwn(CERTIFICATES, code);
}

/** For the log: the error, and what it says about the certificate in words that help. */
export function causeOf(error: unknown): string {
  const code = codeOf(error);
  const words = Object.hasOwn(CERTIFICATES, code) ? CERTIFICATES[code] : undefined;
  return words === undefined ? String(error) : `${words} (${String(error)})`;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}
