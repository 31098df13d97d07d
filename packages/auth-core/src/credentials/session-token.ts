import { scopeSet } from '../scopes.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { Rejected, type Verification } from './verification.ts';

/** The `sessionToken` of an `svc-mcp` answer; good at session create only (specification 2, Session token). */
export async function verifySessionToken(token: string, signer: TokenSigner): Promise<Verification> {
  const claims = await signer.verify(token, ['svc-session']);
  if (typeof claims === 'string') return new Rejected(`session token: ${claims}`);
  const { sie } = claims;
  const expiresAt = claims.exp * 1000;
  return {
    accountId: claims.sub,
    credential: { kind: 'session-token', id: claims.jti },
    granted: scopeSet(claims.scopes),
    expiresAt,
    grantsUntil: expiresAt,
    teamId: claims.team ?? null,
    usedAt: null,
    fits: (account) => sie === undefined || account.signInEpoch === sie,
  };
}
