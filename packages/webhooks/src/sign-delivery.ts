import type { Random } from '@svc/auth-core';
import { WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from '@svc/contract';

/** Length of a signing secret. The specification Standard Webhooks allows 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** @returns a new signing secret: `whsec_` and the base64 of 256 random bits */
export function newWebhookSecret(random: Random): string {
  return WEBHOOK_SECRET_PREFIX + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64');
}

/**
 * @returns the headers defined by Standard Webhooks, with which a receiver verifies the signature of a delivery. `at`
 * is the time (ms since 1970) of this try.
 */
export async function signedHeaders(
  secret: string,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const bytes = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, Buffer.from(`${id}.${timestamp}.${body}`));
  return {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: `v1,${Buffer.from(signature).toString('base64')}`,
  };
}
