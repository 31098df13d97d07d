/** Groups of a person, or the reason why they are not known. */
export type ProviderGroups =
  | { readonly known: readonly string[] }
  /** `absent`: the claim is missing. `overage`: the person has too many groups for a token (Entra ID). */
  | { readonly known: null; readonly why: 'absent' | 'overage' };

/** What an OpenID Connect provider says about a person who signed in. Only issuer and subject identify the person. */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Id of the provider's own session, or null if the provider does not send one. */
  readonly sid: string | null;
  readonly email: string | null;
  /** Whether the provider has verified the e-mail address, or null if the provider does not say. */
  readonly isEmailVerified: boolean | null;
  readonly name: string | null;
  readonly groups: ProviderGroups;
}

/** A logout token that holds: whose sign-ins at the provider have ended. At least one of `sid` and `subject` is set. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly sid: string | null;
  readonly subject: string | null;
  /** Id of the token, which must be accepted only once. */
  readonly id: string;
  /** Time (ms since 1970) from which the token is refused without a look-up of its id. */
  readonly endsAt: number;
}
