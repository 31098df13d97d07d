import type { ScopeSet } from '@svc/auth-core';

/** A claim that a token must have, and its allowed values. */
export interface TrustClaim {
  readonly claim: string;
  readonly anyOf: readonly (string | number | boolean)[];
}

/** Public key of an issuer as a JSON Web Key, without private members. */
export type TrustedKey = Readonly<Record<string, string>>;

/** A CI run that exchanged the token of its issuer for a token of this server. */
interface TrustRun {
  /** Time of the exchange in ms since 1970. */
  readonly at: number;
  readonly subject: string;
  readonly run: string;
}

/**
 * A rule that lets CI jobs exchange the tokens of their issuer for tokens with the rights of the rule's owner (contract
 * 10.3).
 */
export interface TrustRule {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly issuer: string;
  /** Audience that the issuer's token must name, or null if it must name the public URL of this server. */
  readonly audience: string | null;
  /** Public keys of the issuer, if the rule stores them. Null if the server fetches them from the issuer. */
  readonly jwks: { readonly keys: readonly TrustedKey[] } | null;
  readonly claims: readonly TrustClaim[];
  readonly scopes: ScopeSet;
  readonly teamId: string | null;
  /** Maximum lifetime, in minutes, of the tokens that CI jobs get. */
  readonly maxMinutes: number;
  readonly paused: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /**
   * Time (ms since 1970) at which the rule expires, because the credential that created it expires then. Null if the
   * rule never expires.
   */
  readonly expiresAt: number | null;
  /**
   * Id of the parent, which is the rule that issued the token with which this rule was created. Null if there is none.
   * Tokens of this rule are valid only while the parent exists and is not paused.
   */
  readonly parentId: string | null;
  /** The latest CI runs that exchanged a token through the rule, newest first, at most `KEPT_RUNS`. */
  readonly runs: readonly TrustRun[];
}

export interface TrustRuleReader {
  /** Reads from memory, because every check of a rule's token calls this method. */
  byId(id: string): TrustRule | undefined;
  /** Returns all rules, newest first. */
  list(): readonly TrustRule[];
}

export interface TrustRuleStore extends TrustRuleReader {
  /** Adds a rule. Throws `Conflict` if the owner or the team no longer exists. */
  insert(rule: TrustRule): void;
  /** Changes the name of a rule, or pauses or resumes it. Has no effect if there is no such rule. */
  update(id: string, change: Partial<Pick<TrustRule, 'name' | 'paused'>>): void;
  /**
   * Records a CI run that exchanged a token through a rule. It does not change `Stores.version`, because no credential
   * becomes invalid.
   */
  noteRun(id: string, run: TrustRun): void;
  /**
   * Removes a rule, and with it the keys, sign-ins and rules that were created with its tokens.
   * @returns false if there is no such rule
   */
  remove(id: string): boolean;
}

/** Maximum number of CI runs that are stored per rule. */
export const KEPT_RUNS = 10;
