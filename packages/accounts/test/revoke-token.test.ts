import { LOCAL_ORIGIN, longestLife, TokenSigner } from '@svc/auth-core';
import { GRANT, installation, seededRandom } from '@svc/auth-core/testing';
import { expect, it } from 'vitest';
import { RevokeToken } from '../src/tokens/revoke-token.ts';
import { setUpAccounts } from './accounts.ts';

const DAY = 24 * 60 * 60;

it('a revoked token stays revoked if SVC_MCP_TOKEN_TTL_SEC is lowered and raised again (contract 10.4)', async () => {
  const { ring } = await installation();
  const { stores, clock, audit, cascade } = setUpAccounts(ring);
  const signerWith = (life: number) =>
    new TokenSigner(ring, clock, seededRandom(1), 'svc', longestLife(life));
  const { token, claims } = await signerWith(30 * DAY).mint({ ...GRANT, aud: 'svc-mcp', lifetime: 30 * DAY });
  const lowered = { stores, clock, audit, cascade, signer: signerWith(DAY), endLease: () => undefined };
  new RevokeToken(lowered).revoke(token, LOCAL_ORIGIN);
  clock.advance(2 * DAY * 1000);
  stores.transaction((tx) => tx.revocations.removeExpired(clock.now()));
  expect(signerWith(30 * DAY).verify(token, ['svc-mcp'])).toEqual(claims);
  expect(stores.revocations.find(claims.jti)).toEqual({ cascades: false });
});
