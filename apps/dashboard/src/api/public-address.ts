import { SERVER } from './addresses.ts';

/**
 * Address of the document that contains the public address of the lab (contract 10). Reading it needs no credential.
 */
const DOCUMENT = `${SERVER}/.well-known/oauth-protected-resource/svc/api`;

/** @returns scheme, host and port of the public address of the lab. Rejects if the lab has none. */
export async function publicAddress(signal: AbortSignal): Promise<string> {
  const answer = await fetch(DOCUMENT, { signal });
  const { resource } = (await answer.json()) as { resource: string };
  const { protocol, origin } = new URL(resource);
  // Other protocols, such as javascript:, would make a link that runs code.
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error('the lab has an unusable public address');
  return origin;
}
