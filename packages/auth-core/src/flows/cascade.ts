import { Unavailable } from '../errors.ts';
import type { ApiToken, Clock, Revocation, StoreTransaction } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';

/**
 * Maximum number of records of revoked tokens per account, so that an account cannot fill the memory by minting and
 * revoking tokens.
 */
const MOST_REVOCATIONS = 10_000;

/** Lifetime of every other bearer token that lives longest, in seconds. */
const LONGEST_LIFE = 24 * 60 * 60;

interface CascadeOptions {
  readonly clock: Clock;
  /** Whether every revocation also ends the tokens minted from the revoked one (`SVC_REVOCATION_CASCADE`). */
  readonly always: boolean;
  /** Lifetime of an `svc-mcp` token in seconds (`SVC_MCP_TOKEN_TTL_SEC`). */
  readonly mcpLifetime: number;
}

/** Records revocations that end signed tokens (contract 10.4). Each method takes part in the caller's transaction. */
export class Cascade {
  readonly #options: CascadeOptions;

  constructor(options: CascadeOptions) {
    this.#options = options;
  }

  /**
   * Records that a key or Profile token was revoked, if the tokens minted from it end with it.
   * @param asked whether the request asks for that
   * @returns whether they end
   */
  keyRevoked(
    tx: StoreTransaction,
    { id, ownerId }: Pick<ApiToken, 'id' | 'ownerId'>,
    asked: boolean,
  ): boolean {
    const { clock, always, mcpLifetime } = this.#options;
    if (!asked && !always) return false;
    // No token minted from the key, in any generation, outlasts the first one of its line (specification 5.3.1).
    const expiresAt = clock.now() + Math.max(mcpLifetime, LONGEST_LIFE) * 1000;
    this.#add(tx, { id, accountId: ownerId, cascades: true, expiresAt });
    return true;
  }

  /**
   * Records that a signed token was revoked. What was minted with a token of a trust rule always ends with it (contract
   * 10.3).
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
