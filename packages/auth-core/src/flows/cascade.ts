import { currentBearerGroup, isGroup } from '../credentials/bearer-group.ts';
import type { ApiToken, Clock, Revocation, StoreTransaction } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';
import { longestLife } from '../tokens/longest-life.ts';

/**
 * Numbers of revocation records per account from which one record of all the account's tokens replaces them, so that an
 * account cannot fill the memory by minting and revoking: records of single tokens, and records of keys, sign-ins and
 * agents. The latter have a bound of their own, because revoking a key must not end the tokens of other keys only because
 * many bearers were revoked, and need much more time to make.
 */
const MOST_TOKENS = 10_000;
const MOST_CREDENTIALS = 100_000;

interface CascadeOptions {
  readonly clock: Clock;
  /**
   * Whether every revocation also ends the tokens that were minted from the revoked credential
   * (`SVC_REVOCATION_CASCADE`).
   */
  readonly always: boolean;
  /** Lifetime of an `svc-mcp` token in seconds (`SVC_MCP_TOKEN_TTL_SEC`). */
  readonly mcpLifetime: number;
}

/**
 * Stores revocations, which end signed tokens before they expire (contract 10.4). The caller of each method opens the
 * transaction.
 */
export class Cascade {
  readonly #options: CascadeOptions;

  constructor(options: CascadeOptions) {
    this.#options = options;
  }

  /**
   * Stores the revocation of a key or Profile token if the tokens that were minted from it have to end, too.
   * @param asked whether the request asks to end these tokens
   * @returns whether the tokens end
   */
  keyRevoked(
    tx: StoreTransaction,
    { id, ownerId }: Pick<ApiToken, 'id' | 'ownerId'>,
    asked: boolean,
  ): boolean {
    const { always } = this.#options;
    if (!asked && !always) return false;
    // The record must outlive every token that was minted from the key, directly or through other tokens. A token never
    // outlives the token from which it was minted (specification 5.3.1), so the maximum lifetime is enough.
    const expiresAt = this.#lastExpiry();
    this.#add(tx, { id, accountId: ownerId, cascades: true, expiresAt, sourceId: null });
    return true;
  }

  /**
   * Stores the revocation of a signed token. If the option `always` is on, or if the token was created through a trust
   * rule (rule that lets CI jobs sign in), the tokens that were minted from it end, too (contract 10.3).
   */
  signedRevoked(
    tx: StoreTransaction,
    { jti, sub, exp, rule, parents = [] }: Pick<Claims, 'jti' | 'sub' | 'exp' | 'rule' | 'parents'>,
  ): void {
    const cascades = this.#options.always || rule !== undefined;
    const sourceId = parents.find((id) => !isGroup(id)) ?? sub;
    this.#add(tx, { id: jti, accountId: sub, cascades, expiresAt: exp * 1000, sourceId });
  }

  /**
   * Stores the end of an agent, which ends every token that was minted from its `svc-mcp` token. The expiry of that token
   * may be unknown: the server may have seen only a bearer token that was minted from it and expires earlier.
   */
  agentEnded(
    tx: StoreTransaction,
    { id, accountId, expiresAt }: Pick<Revocation, 'id' | 'accountId' | 'expiresAt'>,
  ): void {
    const latest = Math.max(expiresAt, this.#lastExpiry());
    this.#add(tx, { id, accountId, cascades: true, expiresAt: latest, sourceId: null });
  }

  /** Stores the end of a sign-in, which ends every token that was minted from it. */
  signInEnded(tx: StoreTransaction, id: string, accountId: string): void {
    this.#add(tx, { id, accountId, cascades: true, expiresAt: this.#lastExpiry(), sourceId: null });
  }

  /**
   * Adds a record. A revocation is never refused for want of room (contract 4): if the account has too many records,
   * one record that revokes all tokens of the account replaces them. The tokens must then be minted again.
   */
  #add({ revocations }: StoreTransaction, revocation: Revocation): void {
    const { accountId, sourceId } = revocation;
    const { tokens, credentials } = revocations.countOf(accountId);
    const isToken = sourceId !== null;
    if (isToken ? tokens < MOST_TOKENS : credentials < MOST_CREDENTIALS) {
      revocations.add(revocation);
      return;
    }
    const group = {
      id: currentBearerGroup(revocations, accountId),
      accountId,
      cascades: true,
      expiresAt: this.#lastExpiry(),
      sourceId: null,
    };
    revocations.replaceAllOf(group, isToken ? 'tokens' : 'all');
  }

  /** @returns the time (ms since 1970) at which every token that exists now has expired */
  #lastExpiry(): number {
    const { clock, mcpLifetime } = this.#options;
    return clock.now() + longestLife(mcpLifetime) * 1000;
  }
}
