/** Headers as Node.js represents them. */
export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Unverified credentials of a request. Each scheme reads its own from them, and a header costs nothing until a scheme
 * reads it.
 */
export interface PresentedCredentials {
  readonly headers: HeaderValues;
  /** Value of the sign-in cookie, or undefined if there is none or none is accepted here. */
  readonly cookie: string | undefined;
  /** Session token in the capabilities of a test session. */
  readonly sessionToken?: string | undefined;
}

/** Joins a header that was sent more than once, so that it is not valid. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
