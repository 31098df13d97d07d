/** Headers as Node gives them. */
export type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Where the credentials of a request stand, unproven; each scheme takes its own from it. Reading a header costs
 * nothing until a scheme asks.
 */
export interface PresentedCredentials {
  readonly headers: HeaderValues;
  /** Value of the sign-in cookie, read by the host; undefined when there is none, or none is accepted here. */
  readonly cookie: string | undefined;
  /** The session token of a test session's capabilities. */
  readonly sessionToken?: string | undefined;
}

/** A header sent twice arrives joined and fits nothing. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
