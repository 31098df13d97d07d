import type { RevocationLookup } from '../ports/index.ts';
import { type Account, type Caller, type Credential, credentialOfKind } from '../principal.ts';
import { scopeSet } from '../scopes.ts';
import type { Claims } from '../tokens/claims.ts';
import { agentOf, mcpScopesOf } from './agent-claim.ts';
import { ancestorsOf } from './bearer-group.ts';
import { isRevoked } from './lineage.ts';
import { ruleOriginOf } from './rule-origin.ts';
import { fitsSignInEpoch, keepsSignInEpoch, sourceSignInOf } from './source-sign-in.ts';
import type { VerifiedCredential } from './verification.ts';

type SignedKind = 'bearer' | 'session-token';

/** @returns the result for a token whose signature and claims are valid */
export function verificationOf(
  kind: SignedKind,
  claims: Claims,
  revocations: RevocationLookup,
): VerifiedCredential {
  const expiresAt = claims.exp * 1000;
  const credential = signedCredential(kind, claims.jti, {
    sourceSignIn: sourceSignInOf(claims),
    parents: ancestorsOf(claims),
    mcpScopes: mcpScopesOf(claims),
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
    // Look up revocations in `fits`, which also runs for a cached result, so that a revocation takes effect
    // immediately.
    fits: (account) => fitsSignInEpoch(claims, account) && !isRevoked(credential, revocations),
  };
}

/** @returns whether the caller's signed token is still valid. `account` is the current state of their account. */
export function isStillGood(caller: Caller, account: Account, revocations: RevocationLookup): boolean {
  return keepsSignInEpoch(caller, account) && !isRevoked(caller.credential, revocations);
}

/** Creates the credential of a signed token. */
export function signedCredential(kind: SignedKind, id: string, traits: Partial<Credential> = {}): Credential {
  return { ...credentialOfKind(kind, id, traits), opensDashboard: kind === 'bearer' };
}
