export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Settings for sign-in through an OpenID Connect provider (contract 10.1). */
export interface OidcConfig {
  /** Issuer, exactly as configured, because the provider's documents and tokens must contain the same text. */
  readonly issuer: string;
  readonly clientId: string;
  /** Secret of the client, or null for a public client, which proves itself with PKCE alone. */
  readonly clientSecret: string | null;
  /** Name of the provider, shown on the sign-in page. */
  readonly name: string;
  /** Scopes to request, separated by spaces. */
  readonly scopes: string;
  /** Name of the claim that holds a person's groups, or a path of names separated by dots. */
  readonly groupsClaim: string;
  /** Role that each group gives. Null if roles are managed in the lab. Empty if the setting has no usable entry. */
  readonly roles: readonly { readonly group: string; readonly role: 'Member' | 'Admin' }[] | null;
  /** For each mapped group, the name of the team that its members get, or null if teams are managed in the lab. */
  readonly teams: readonly { readonly group: string; readonly team: string }[] | null;
  /**
   * Whether the server creates an account for a new person: never (`off`), or if one of their groups is mapped to a
   * role or team (`mapped`).
   */
  readonly signUp: 'off' | 'mapped';
  /**
   * What links a person at the provider to the account with the same e-mail address: the person signs in with the
   * password of the account once, or the provider has verified the address.
   */
  readonly link: 'password' | 'verified-email';
}

/** Address of an HTTP proxy. */
export interface ProxyAddress {
  /** Complete URL of the proxy, including user and password, which are secret. */
  readonly url: string;
  /** Whether the connection to the proxy uses TLS. */
  readonly isSecure: boolean;
  /** Host name or IP address; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of the `Proxy-Authorization` header, which is a secret, or null if the URL has no user and password. */
  readonly authorization: string | null;
}
