import type { ScopeSet } from '../scopes.ts';

/** A claim that a token must have, with the values of which the claim must have one. */
export interface TrustClaim {
  readonly claim: string;
  readonly anyOf: readonly (string | number | boolean)[];
}

/** Public key of an issuer as a JSON Web Key, without private members. */
export type TrustedKey = Readonly<Record<string, string>>;

/** A run that exchanged its token by a trust rule. */
export interface TrustRun {
  /** Time of the exchange in ms since 1970. */
  readonly at: number;
  readonly subject: string;
  readonly run: string;
}

/** A rule by which tokens of an issuer are exchanged for tokens of the rule's owner (contract 10.3). */
export interface TrustRule {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly issuer: string;
  /** Audience that a token must name, or null for the public URL of the server. */
  readonly audience: string | null;
  /** Keys of the issuer that were pasted, or null if they are read from the issuer. */
  readonly jwks: { readonly keys: readonly TrustedKey[] } | null;
  readonly claims: readonly TrustClaim[];
  readonly scopes: ScopeSet;
  readonly teamId: string | null;
  /** Lifetime of the tokens in minutes. */
  readonly maxMinutes: number;
  readonly paused: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** Time (ms since 1970) at which the rule ends with the credential that made it, or null for never. */
  readonly expiresAt: number | null;
  /** Id of the rule with whose token this rule was made, or null. The rule ends with its parent. */
  readonly parentId: string | null;
  /** The last runs, newest first. */
  readonly runs: readonly TrustRun[];
}

/** The part of the rules that decides whether their tokens are valid. */
export interface TrustRuleStates {
  /** Reads from memory, because the rule of a token is looked up whenever the token is checked. */
  byId(id: string): Pick<TrustRule, 'paused' | 'parentId'> | undefined;
}

export interface TrustRuleReader extends TrustRuleStates {
  byId(id: string): TrustRule | undefined;
  /** Returns all rules, newest first. */
  list(): readonly TrustRule[];
}

export interface TrustRuleStore extends TrustRuleReader {
  /** Adds a rule. Throws `Conflict` if the owner or the team no longer exists. */
  insert(rule: TrustRule): void;
  /** Changes the name or pauses the rule. Does nothing if there is no such rule. */
  update(id: string, change: Partial<Pick<TrustRule, 'name' | 'paused'>>): void;
  /** Records a run. The version of the stores stays the same. */
  noteRun(id: string, run: TrustRun): void;
  /**
   * Removes a rule with the keys, sign-ins and rules that were made with its tokens.
   * @returns false if there is no such rule
   */
  remove(id: string): boolean;
}

/** Number of runs that a rule keeps. */
export const KEPT_RUNS = 10;
