import type { RevocationLookup } from '../ports/index.ts';
import type { Account, Caller } from '../principal.ts';
import type { TokenVerifier } from '../tokens/signer.ts';
import type { PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';
import { isStillGood, verificationOf } from './signed-credential.ts';
import { Rejected, type Verification } from './verification.ts';

/**
 * Verifies a session token, which a create-session request carries in its capabilities. The token is valid only for
 * creating test sessions (specification 2, Session token).
 */
export class SessionTokenScheme implements CredentialScheme {
  readonly kind = 'session-token';
  readonly publicCode = 'invalid token';
  readonly headers: readonly string[] = [];
  readonly onCommands = false;
  readonly tracksAddresses = false;
  readonly #signer: TokenVerifier;
  readonly #revocations: RevocationLookup;

  constructor(signer: TokenVerifier, revocations: RevocationLookup) {
    this.#signer = signer;
    this.#revocations = revocations;
  }

  secretOf({ sessionToken }: PresentedCredentials): string | undefined {
    return sessionToken;
  }

  async verify(_presented: PresentedCredentials, token: string): Promise<Verification> {
    const claims = await this.#signer.verify(token, ['svc-session']);
    if (typeof claims === 'string') return new Rejected(`session token: ${claims}`);
    return verificationOf(this.kind, claims, this.#revocations);
  }

  stillGood(caller: Caller, account: Account): boolean {
    return isStillGood(caller, account, this.#revocations);
  }
}
