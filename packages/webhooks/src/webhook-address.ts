import { Refusal } from '@svc/auth-core';
import { DestinationNotAllowed, type WebhookSender } from './webhook.ts';

const LONGEST_URL = 2_048;

/**
 * @returns the parsed address of a webhook. Rejects with `invalid_url` if the address is invalid, or if the server is
 * not allowed to send webhook requests to it.
 */
export async function allowedAddress(text: string, sender: Pick<WebhookSender, 'check'>): Promise<URL> {
  const url = webhookUrl(text);
  try {
    await sender.check(url);
  } catch (error) {
    if (!(error instanceof DestinationNotAllowed)) throw error;
    throw invalidUrl('url: webhooks may not reach this address');
  }
  return url;
}

/** Parses an http or https address. Throws `invalid_url` if it is too long or contains a user name or password. */
function webhookUrl(text: string): URL {
  if (text.length > LONGEST_URL) throw invalidUrl(`url: is longer than ${LONGEST_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalidUrl('url: is no http or https address');
  }
  if (url.username !== '' || url.password !== '') throw invalidUrl('url: may have no user name or password');
  if (url.href.length > LONGEST_URL) throw invalidUrl(`url: is longer than ${LONGEST_URL} characters`);
  // Remove the fragment, because HTTP never sends it.
  url.hash = '';
  return url;
}

function invalidUrl(message: string): Refusal {
  return new Refusal('invalid_url', message, { message });
}
