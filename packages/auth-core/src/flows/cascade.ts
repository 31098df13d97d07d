import { Unavailable } from '../errors.ts';
import type { ApiToken, Clock, Revocation, StoreTransaction } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';

/**
 * Maximum number of revocation records per account, so that an account cannot fill the memory by minting and revoking
 * tokens.
 */
const MOST_REVOCATIONS = 10_000;

/** Maximum lifetime in seconds of bearer tokens other than `svc-mcp` tokens. */
const LONGEST_LIFE = 24 * 60 * 60;

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
 * Records revocations that end signed tokens (contract 10.4). Each method writes within the transaction of its caller.
 */
export class Cascade {
  readonly #options: CascadeOptions;

  constructor(options: CascadeOptions) {
    this.#options = options;
  }

  /**
   * Records that a key or Profile token was revoked, if the revocation also ends the tokens that were minted from it.
   * @param asked whether the request asks to end these tokens
   * @returns whether the tokens end
   */
  keyRevoked(
    tx: StoreTransaction,
    { id, ownerId }: Pick<ApiToken, 'id' | 'ownerId'>,
    asked: boolean,
  ): boolean {
    const { clock, always, mcpLifetime } = this.#options;
    if (!asked && !always) return false;
    // Keep the record as long as the longest-lived token: tokens that are minted from another token never outlive it
    // (specification 5.3.1).
    const expiresAt = clock.now() + Math.max(mcpLifetime, LONGEST_LIFE) * 1000;
    this.#add(tx, { id, accountId: ownerId, cascades: true, expiresAt });
    return true;
  }

  /**
   * Records that a signed token was revoked. If a trust rule created the token, every token that was minted with it
   * ends, too (contract 10.3).
   */
  signedRevoked(
    tx: StoreTransaction,
    { jti, sub, exp, rule }: Pick<Claims, 'jti' | 'sub' | 'exp' | 'rule'>,
  ): void {
    const cascades = this.#options.always || rule !== undefined;
    this.#add(tx, { id: jti, accountId: sub, cascades, expiresAt: exp * 1000 });
  }

  #add({ revocations }: StoreTransaction, revocation: Revocation): void {
    if (revocations.countOf(revocation.accountId) >= MOST_REVOCATIONS) {
      throw new Unavailable(
        `account ${revocation.accountId} has too many revoked tokens that have not expired`,
      );
    }
    revocations.add(revocation);
  }
}
