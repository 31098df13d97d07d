import type { ApiTokenReader } from '../ports.ts';
import { isTokenSecret } from '../secrets/token-secret.ts';
import { Rejected, type Verification } from './verification.ts';

/** Access key + token. Both halves must come, and the token must belong to the user the access key names. */
export function verifyKeyPair(
  accessKey: string | undefined,
  token: string | undefined,
  hash: string,
  store: ApiTokenReader,
): Verification {
  if (accessKey === undefined || token === undefined) return new Rejected('half a pair');
  if (!isTokenSecret(token)) return new Rejected('token has a wrong form or checksum');
  const found = store.byHash(hash);
  if (found === undefined) return new Rejected('unknown or revoked token');
  return {
    accountId: found.ownerId,
    credential: { kind: 'key', id: found.id, rateLimit: found.rateLimit },
    granted: found.scopes,
    expiresAt: found.expiresAt,
    grantsUntil: found.expiresAt,
    teamId: found.teamId,
    usedAt: found.lastUsedAt,
    // Compared plainly: it is no secret, and only who holds a good token gets this far.
    fits: (account) => account.accessKey === accessKey,
  };
}
