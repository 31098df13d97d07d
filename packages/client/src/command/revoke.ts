import type { StoredCredentials } from '../credentials-file.ts';
import { SvcError } from '../error.ts';
import { SvcClient } from '../rest-client.ts';
import { postForm } from './oauth.ts';

/**
 * Revokes a stored token at its lab. Never throws.
 * @returns null if the token is no longer valid, otherwise the reason why it could not be revoked
 */
export async function revokeStored(url: string, stored: StoredCredentials): Promise<string | null> {
  try {
    const { status } = await postForm(url, 'revoke', { token: stored.token });
    if (status === 200) return null;
    // Use the REST route of the Profile page, because a lab without a public URL has no OAuth revocation endpoint.
    return await revokeAtProfile(new SvcClient({ url, credential: stored }), stored);
  } catch (error) {
    if (error instanceof SvcError && error.status === 401) return null;
    return error instanceof Error ? error.message : String(error);
  }
}

async function revokeAtProfile(
  client: SvcClient,
  { tokenExpiresAt }: StoredCredentials,
): Promise<string | null> {
  const tokens = await client.tokens();
  const [own, ...more] = tokens.filter(({ expiresAt }) => expiresAt !== null && expiresAt === tokenExpiresAt);
  if (own === undefined || more.length > 0)
    return 'the lab lists no token that ends when the stored one does';
  await client.revokeToken(own.id);
  return null;
}
