/** HTTP headers in the form of `IncomingMessage.headers` of Node.js. */
export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

/** Unverified credentials of a request. Each scheme reads only its own headers. */
export interface PresentedCredentials {
  readonly headers: HeaderValues;
  /** Value of the sign-in cookie, or undefined if the request has no cookie or the route does not accept cookies. */
  readonly cookie: string | undefined;
  /** Session token in the capabilities of a test session. Absent in all other requests. */
  readonly sessionToken?: string | undefined;
}

/**
 * @returns the value of the header, or undefined if it is absent. The values of a header that was sent more than once
 * are joined with commas, so that the result is not a valid credential.
 */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
