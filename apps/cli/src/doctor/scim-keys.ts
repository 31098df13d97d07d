import type { Stores } from '@svc/auth-core';
import { type Finding, failure, ok, warning } from './finding.ts';
import { endsSoon } from './node-keys.ts';

const CHECK = 'scim-keys';
const NEW_KEY =
  'Create a new key for the identity provider on the page API keys, and enter it there before the old one expires.';

/**
 * Finds SCIM keys that expire within 30 days. An expired key is a failure only if there is no valid one, because it may
 * have been replaced.
 * @returns one finding per key that expires soon; no findings if no key for an identity provider was ever created
 */
export function checkScimKeys(
  { accounts, apiTokens }: Pick<Stores, 'accounts' | 'apiTokens'>,
  now: number,
): Finding[] {
  const keys = apiTokens.listAll().filter(({ kind }) => kind === 'scim');
  const valid = keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  if (keys.length === 0) return [];
  if (valid.length === 0)
    return [
      failure(
        CHECK,
        'Every SCIM key has expired, so the identity provider can no longer deactivate accounts',
        NEW_KEY,
      ),
    ];
  const ending = valid.flatMap(({ name, ownerId, expiresAt }) => {
    if (expiresAt === null || !endsSoon(expiresAt, now)) return [];
    const owner = accounts.byId(ownerId)?.email ?? 'a deleted account';
    const end = new Date(expiresAt).toISOString();
    return [
      warning(
        CHECK,
        `The SCIM key "${name}" of ${owner} expires at ${end}; then its identity provider can no longer deactivate accounts`,
        NEW_KEY,
      ),
    ];
  });
  return ending.length > 0
    ? ending
    : [
        ok(
          CHECK,
          `${valid.length} SCIM ${valid.length === 1 ? 'key is' : 'keys are'} valid for more than 30 days`,
        ),
      ];
}
