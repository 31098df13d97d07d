import { BEARER_AUDIENCES, headersOfProof, PROOF_SCHEMES } from '@svc/contract';
import type { RevocationLookup } from '../ports/index.ts';
import type { Account, Caller } from '../principal.ts';
import type { TokenVerifier, Verified } from '../tokens/signer.ts';
import { headerText, type PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';
import { isStillGood, verificationOf } from './signed-credential.ts';
import { Rejected, type Verification } from './verification.ts';

/** Verifies bearer tokens. */
export class BearerScheme implements CredentialScheme {
  readonly kind = 'bearer';
  readonly publicCode = PROOF_SCHEMES.bearer.refusal;
  readonly headers = headersOfProof('bearer');
  readonly onCommands = true;
  readonly tracksAddresses = true;
  readonly #signer: TokenVerifier;
  readonly #revocations: RevocationLookup;

  constructor(signer: TokenVerifier, revocations: RevocationLookup) {
    this.#signer = signer;
    this.#revocations = revocations;
  }

  secretOf({ headers }: PresentedCredentials): string | undefined {
    return bearerOf(headers.authorization);
  }

  verify(_presented: PresentedCredentials, token: string): Verification | Promise<Verification> {
    const claims = this.#signer.verify(token, BEARER_AUDIENCES);
    return claims instanceof Promise ? this.#whileKeysStay(claims, token) : this.#result(claims);
  }

  liftsOriginCheck(presented: PresentedCredentials): boolean {
    return this.secretOf(presented) !== undefined;
  }

  stillGood(caller: Caller, account: Account): boolean {
    return isStillGood(caller, account, this.#revocations);
  }

  async #whileKeysStay(claims: Promise<Verified>, token: string): Promise<Verification> {
    const removals = this.#signer.keyRemovals;
    const result = await claims;
    // If a key was removed during the verification, the token has to be verified again.
    if (removals === this.#signer.keyRemovals) return this.#result(result);
    return this.#whileKeysStay(Promise.resolve(this.#signer.verify(token, BEARER_AUDIENCES)), token);
  }

  #result(claims: Verified): Verification {
    if (typeof claims === 'string') return new Rejected(`bearer token: ${claims}`);
    return verificationOf(this.kind, claims, this.#revocations);
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
