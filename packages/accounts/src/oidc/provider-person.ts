/** Groups of a person at the provider, or the reason why they are unknown. */
export type ProviderGroups =
  | { readonly known: readonly string[] }
  /** `absent` if the claim is missing, and `overage` if the person has too many groups for a token (Entra ID). */
  | { readonly known: null; readonly why: 'absent' | 'overage' };

/**
 * Facts that an OpenID Connect provider states about a person who signed in. Only issuer and subject identify the
 * person.
 */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Id of the person's session at the provider, or null if the provider does not send one. */
  readonly sid: string | null;
  readonly email: string | null;
  /** Whether the provider has verified the e-mail address, or null if the provider does not state this. */
  readonly isEmailVerified: boolean | null;
  readonly name: string | null;
  /**
   * Time (ms since 1970) at which the provider authenticated the person, or null if its ID token does not state it. A
   * session at the provider can be days old.
   */
  readonly authenticatedAt: number | null;
  readonly groups: ProviderGroups;
}

/**
 * Content of a verified logout token, which selects the sign-ins to end. At least one of `sid` and `subject` is set.
 */
export interface ProviderLogout {
  readonly issuer: string;
  readonly sid: string | null;
  readonly subject: string | null;
  /** Id of the token (`jti`). It is stored, so that the server accepts each token only once. */
  readonly id: string;
  /** Time (ms since 1970) until which the id must be stored. After it, the token is too old to be accepted. */
  readonly endsAt: number;
}
