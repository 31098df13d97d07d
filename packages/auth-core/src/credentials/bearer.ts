import { BEARER_AUDIENCES, type BearerAudience } from '@svc/contract';
import { LRUCache } from 'lru-cache';
import { scopeSet } from '../scopes.ts';
import type { Claims } from '../tokens/claims.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { Rejected, type Verification } from './verification.ts';

const REMEMBERED = 20_000;

/**
 * Bearer tokens. A signature that was good stays good, so claims are remembered by the token's digest; whatever may
 * change meanwhile (expiry, account, role) is asked on every request.
 */
export class BearerVerifier {
  readonly #signer: TokenSigner;
  readonly #verified = new LRUCache<string, Verification>({ max: REMEMBERED });
  /** A client that starts with many requests at once has its token verified once. */
  readonly #verifying = new Map<string, Promise<Verification>>();

  constructor(signer: TokenSigner) {
    this.#signer = signer;
  }

  verify(token: string, digest: string): Verification | Promise<Verification> {
    return this.#verified.get(digest) ?? this.#verifying.get(digest) ?? this.#begin(token, digest);
  }

  #begin(token: string, key: string): Promise<Verification> {
    const verifying = this.#verify(token, key).finally(() => this.#verifying.delete(key));
    this.#verifying.set(key, verifying);
    return verifying;
  }

  async #verify(token: string, key: string): Promise<Verification> {
    const claims = await this.#signer.verify(token, BEARER_AUDIENCES);
    if (typeof claims === 'string') return new Rejected(`bearer token: ${claims}`);
    const verified = proofOf(claims);
    this.#verified.set(key, verified);
    return verified;
  }
}

function proofOf(claims: Claims): Verification {
  const { sie } = claims;
  const audience = claims.aud as BearerAudience;
  const expiresAt = claims.exp * 1000;
  return {
    accountId: claims.sub,
    credential: { kind: 'bearer', id: claims.jti, audience, fromSignIn: sie !== undefined },
    granted: scopeSet(claims.scopes),
    expiresAt,
    grantsUntil: expiresAt,
    teamId: claims.team ?? null,
    usedAt: null,
    fits: (account) => sie === undefined || account.signInEpoch === sie,
  };
}
