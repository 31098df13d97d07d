import { BEARER_AUDIENCES, type BearerAudience } from '@svc/contract';
import { LRUCache } from 'lru-cache';
import { scopeSet } from '../scopes.ts';
import type { Claims } from '../tokens/claims.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { type ProofResult, Unproven } from './proof.ts';

const REMEMBERED = 20_000;

/**
 * Bearer tokens. A signature that was good stays good, so claims are remembered by the token's digest; whatever may
 * change meanwhile (expiry, account, role) is asked on every request.
 */
export class BearerProver {
  readonly #signer: TokenSigner;
  readonly #verified = new LRUCache<string, ProofResult>({ max: REMEMBERED });
  /** A client that starts with many requests at once has its token verified once. */
  readonly #verifying = new Map<string, Promise<ProofResult>>();

  constructor(signer: TokenSigner) {
    this.#signer = signer;
  }

  prove(token: string, digest: string): ProofResult | Promise<ProofResult> {
    return this.#verified.get(digest) ?? this.#verifying.get(digest) ?? this.#begin(token, digest);
  }

  #begin(token: string, key: string): Promise<ProofResult> {
    const verifying = this.#verify(token, key).finally(() => this.#verifying.delete(key));
    this.#verifying.set(key, verifying);
    return verifying;
  }

  async #verify(token: string, key: string): Promise<ProofResult> {
    const claims = await this.#signer.verify(token, BEARER_AUDIENCES);
    if (typeof claims === 'string') return new Unproven(`bearer token: ${claims}`);
    const proof = proofOf(claims);
    this.#verified.set(key, proof);
    return proof;
  }
}

function proofOf(claims: Claims): ProofResult {
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
