import type { RevocationLookup } from '../ports/index.ts';
import { type Account, type Caller, type Credential, credentialOfKind } from '../principal.ts';
import { scopeSet } from '../scopes.ts';
import type { TokenVerifier } from '../tokens/signer.ts';
import { agentOf } from './agent-claim.ts';
import { ancestorsOf } from './bearer-group.ts';
import { isRevoked } from './lineage.ts';
import type { PresentedCredentials } from './presented.ts';
import { ruleOriginOf } from './rule-origin.ts';
import type { CredentialScheme } from './scheme.ts';
import { fitsSignInEpoch, keepsSignInEpoch, sourceSignInOf } from './source-sign-in.ts';
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
    const expiresAt = claims.exp * 1000;
    const credential = sessionTokenCredential(claims.jti, sourceSignInOf(claims), {
      parents: ancestorsOf(claims),
      rule: ruleOriginOf(claims),
      agent: agentOf(claims),
    });
    return {
      accountId: claims.sub,
      credential,
      granted: scopeSet(claims.scopes),
      expiresAt,
      grantsUntil: expiresAt,
      teamId: claims.team ?? null,
      usedAt: null,
      fits: (account) => fitsSignInEpoch(claims, account) && !isRevoked(credential, this.#revocations),
    };
  }

  stillGood(caller: Caller, account: Account): boolean {
    return keepsSignInEpoch(caller, account) && !isRevoked(caller.credential, this.#revocations);
  }
}

export function sessionTokenCredential(
  id: string,
  sourceSignIn: string | null,
  traits: Partial<Pick<Credential, 'parents' | 'rule' | 'agent'>> = {},
): Credential {
  return credentialOfKind('session-token', id, { sourceSignIn, ...traits });
}
