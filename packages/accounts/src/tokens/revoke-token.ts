import type { Cascade, RequestOrigin, TokenSigner } from '@svc/auth-core';
import { ancestorsOf, isRevoked, isTokenSecret, origin, readHeader, secretHash } from '@svc/auth-core';
import { LEASE_TOKEN_PREFIX } from '@svc/contract';
import { decodeJwt } from 'jose';
import type { AccountTools } from '../ports/tools.ts';

interface Tools extends Pick<AccountTools, 'stores' | 'clock' | 'audit'> {
  readonly signer: TokenSigner;
  readonly cascade: Cascade;
  /** Ends the lease whose token has this SHA-256 digest (hex). Has no effect if no lease has this digest. */
  readonly endLease: (hash: string, from: RequestOrigin) => void;
}

const BY_HOLDER = 'by somebody who holds it';

/**
 * Revokes tokens (RFC 7009, contract 10.4). The sender only needs the token and no account, so that anyone who finds a
 * leaked token can end it. Has no effect on a token that is unknown, expired or already revoked.
 */
export class RevokeToken {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Revokes the token. Throws `Unavailable` if the token cannot be checked or its revocation cannot be stored. */
  revoke(secret: string, from: RequestOrigin): void {
    if (isTokenSecret(secret)) this.#revokeKey(secret, from);
    else if (isTokenSecret(secret, LEASE_TOKEN_PREFIX)) this.#tools.endLease(secretHash(secret), from);
    else if (readHeader(secret) !== undefined) this.#revokeSigned(secret, from);
  }

  #revokeKey(secret: string, from: RequestOrigin): void {
    const { stores, audit, cascade } = this.#tools;
    const token = stores.apiTokens.byHash(secretHash(secret));
    if (token === undefined) return;
    stores.transaction((tx) => {
      if (!tx.apiTokens.revoke(token.id)) return;
      const ended = cascade.keyRevoked(tx, token, false);
      const reason = ended ? `${BY_HOLDER}, with the tokens minted from it` : BY_HOLDER;
      audit.record(tx, 'authn_token_revoked', { ...origin(from), target: token.id, reason });
    });
  }

  #revokeSigned(secret: string, from: RequestOrigin): void {
    const { stores, signer, audit, cascade } = this.#tools;
    const claims = signer.verify(secret, ['svc-rest', 'svc-mcp', 'svc-session']);
    if (typeof claims === 'string') return;
    const { jti, sign_in = null } = claims;
    // The token is valid until the expiry in its text again if `SVC_MCP_TOKEN_TTL_SEC` is raised, so the record must last
    // until then. `claims` has an earlier expiry if the setting was greater when the token was minted.
    const { exp = claims.exp } = decodeJwt(secret);
    stores.transaction((tx) => {
      if (isRevoked({ id: jti, parents: ancestorsOf(claims), sourceSignIn: sign_in }, tx.revocations)) return;
      cascade.signedRevoked(tx, { ...claims, exp });
      audit.record(tx, 'authn_token_revoked', { ...origin(from), target: jti, reason: BY_HOLDER });
    });
  }
}
