import { inStorage } from './storage.ts';

/** Key in the browser's local storage. It is set once this browser has used a passkey of this lab. */
const USED = 'svc-passkey-used';

/** @returns whether this browser can use passkeys on this page, which needs HTTPS or `localhost` */
export function canUsePasskeys(): boolean {
  return window.isSecureContext && window.PublicKeyCredential !== undefined && !isAddress(location.hostname);
}

/**
 * Passkeys do not work on a page that was opened at an IP address, but they work on `localhost`.
 * @returns the address of the same page at `localhost`, if it was opened at 127.0.0.1 or ::1, otherwise undefined
 */
export function localhostAddress({
  hostname,
  href,
}: Pick<Location, 'hostname' | 'href'>): string | undefined {
  if (hostname !== '127.0.0.1' && hostname !== '[::1]') return undefined;
  const url = new URL(href);
  url.hostname = 'localhost';
  return url.href;
}

export function notePasskey(): void {
  // If the browser blocks its storage, the sign-in page offers passkeys only with the button.
  inStorage((storage) => storage.setItem(USED, 'yes'));
}

/**
 * @returns whether this browser has used a passkey of this lab. Only then does the sign-in page offer passkeys in the
 * autofill list of the e-mail field. For other browsers the list would cost a useless request, which counts towards the
 * limit of sign-in attempts.
 */
export function hasUsedPasskey(): boolean {
  return inStorage((storage) => storage.getItem(USED)) === 'yes';
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}
