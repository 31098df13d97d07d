import { BEARER_AUDIENCES, headersOfProof, PROOF_SCHEMES } from '@svc/contract';
import { GenerationalCache } from '../generational-cache.ts';
import type { RevocationLookup } from '../ports/index.ts';
import type { Account, Caller } from '../principal.ts';
import type { TokenVerifier, Verified } from '../tokens/signer.ts';
import { headerText, type PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';
import { isStillGood, verificationOf } from './signed-credential.ts';
import { Rejected, type Verification } from './verification.ts';

/**
 * Minimum number of verification results in the cache. `GenerationalCache` evicts results only beyond this number, and
 * never holds more than twice as many.
 */
const REMEMBERED = 10_000;

/**
 * Verifies bearer tokens. The claims of a verified token are cached by the digest of the token, so that its signature
 * is not verified again. What can change later (expiry, revocation, account, role) is not cached here.
 */
export class BearerScheme implements CredentialScheme {
  readonly kind = 'bearer';
  readonly publicCode = PROOF_SCHEMES.bearer.refusal;
  readonly headers = headersOfProof('bearer');
  readonly onCommands = true;
  readonly tracksAddresses = true;
  readonly #signer: TokenVerifier;
  readonly #revocations: RevocationLookup;
  #verified = new GenerationalCache<string, Verification>(REMEMBERED);
  #removals = 0;
  /**
   * Verifications in progress by token digest, for tokens that another server signed. Concurrent requests with the same
   * token wait for one verification.
   */
  readonly #verifying = new Map<string, Promise<Verification>>();

  constructor(signer: TokenVerifier, revocations: RevocationLookup) {
    this.#signer = signer;
    this.#revocations = revocations;
  }

  secretOf({ headers }: PresentedCredentials): string | undefined {
    return bearerOf(headers.authorization);
  }

  verify(
    _presented: PresentedCredentials,
    token: string,
    digest: string,
  ): Verification | Promise<Verification> {
    if (this.#removals !== this.#signer.keyRemovals) this.#forget();
    const known = this.#verified.get(digest) ?? this.#verifying.get(digest);
    if (known !== undefined) return known;
    const claims = this.#signer.verify(token, BEARER_AUDIENCES);
    return claims instanceof Promise ? this.#await(claims, token, digest) : this.#result(claims, digest);
  }

  liftsOriginCheck(presented: PresentedCredentials): boolean {
    return this.secretOf(presented) !== undefined;
  }

  stillGood(caller: Caller, account: Account): boolean {
    return isStillGood(caller, account, this.#revocations);
  }

  /** Drops all cached results after a signing key was removed, because signatures of that key are no longer valid. */
  #forget(): void {
    this.#removals = this.#signer.keyRemovals;
    this.#verified = new GenerationalCache(REMEMBERED);
    this.#verifying.clear();
  }

  #await(claims: Promise<Verified>, token: string, key: string): Promise<Verification> {
    const verifying = this.#whileKeysStay(claims, token, key).finally(() => {
      if (this.#verifying.get(key) === verifying) this.#verifying.delete(key);
    });
    this.#verifying.set(key, verifying);
    return verifying;
  }

  async #whileKeysStay(claims: Promise<Verified>, token: string, key: string): Promise<Verification> {
    const removals = this.#signer.keyRemovals;
    const result = await claims;
    // If a key was removed during the verification, the token has to be verified again.
    if (removals === this.#signer.keyRemovals) return this.#result(result, key);
    return this.#whileKeysStay(Promise.resolve(this.#signer.verify(token, BEARER_AUDIENCES)), token, key);
  }

  #result(claims: Verified, key: string): Verification {
    if (typeof claims === 'string') return new Rejected(`bearer token: ${claims}`);
    const verified = verificationOf(this.kind, claims, this.#revocations);
    this.#verified.set(key, verified);
    return verified;
  }
}

/**
 * @returns the token of `Authorization: Bearer …`, or undefined if the header is absent or has another scheme, which
 * counts as no credential
 */
export function bearerOf(header: string | string[] | undefined): string | undefined {
  const value = headerText(header);
  // The second letter tells `Bearer` from `Basic` faster than the pattern does.
  if (value === undefined || (value.charCodeAt(1) | 0x20) !== 0x65 || !/^bearer(?:\s|$)/i.test(value))
    return undefined;
  return value.slice('bearer'.length).trim();
}
