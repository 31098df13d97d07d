import type { AllowedOrigins } from '@svc/settings';

/**
 * Host name for which passkeys are registered (the RP ID), and the origins whose pages may use them (contract 10.2).
 */
export interface RelyingParty {
  /**
   * RP ID: a host name without a port. A passkey that was registered for another RP ID does not work on this server.
   */
  readonly rpId: string;
  /** Origin of the pages on which passkeys work, or null if the server does not know its own address. */
  readonly address: string | null;
  /** Returns whether a page of this origin may use passkeys of this RP ID. */
  readonly accepts: (origin: string) => boolean;
}

/** Settings on which the relying party depends. */
export interface PartySettings {
  readonly publicUrl: string | null;
  readonly allowedOrigins: Pick<AllowedOrigins, 'lists'>;
}

const LOCALHOST = 'localhost';

/**
 * @returns the relying party of this server. Its RP ID is the host of the public URL. Without a public URL, or if its
 * host is an IP address, which browsers do not accept as RP ID, it is `localhost`. It never depends on the `Host`
 * header, because clients could then choose the RP ID
 * @param localOrigin origin of this server at `localhost`, with the port on which the connection arrived, or null if the
 * port is unknown
 */
export function partyOf(
  { publicUrl, allowedOrigins }: PartySettings,
  { localOrigin }: { readonly localOrigin: string | null },
): RelyingParty {
  const named = publicUrl === null ? null : new URL(publicUrl);
  const rpId = named !== null && isDomain(named.hostname) ? named.hostname : LOCALHOST;
  const own = [named?.origin, ...(rpId === LOCALHOST ? [localOrigin] : [])];
  return {
    rpId,
    address: named?.hostname === rpId ? named.origin : localOrigin,
    accepts: (origin) => own.includes(origin) || (allowedOrigins.lists(origin) && isWithin(origin, rpId)),
  };
}

/**
 * @returns whether browsers can use passkeys at the address of this server. Pages offer passkeys only in this case.
 * @param host value of the `Host` header. It is only used if the server has no public URL.
 */
export function passkeysWork(publicUrl: string | null, host: string | undefined): boolean {
  if (publicUrl === null) return nameOf(host) === LOCALHOST;
  const { protocol, hostname } = new URL(publicUrl);
  return isDomain(hostname) && (protocol === 'https:' || hostname === LOCALHOST);
}

/**
 * @returns whether the host is a name and not an IP address. `URL` puts IPv6 addresses into brackets, and converts
 * every form of an IPv4 address to four decimal numbers.
 */
function isDomain(hostname: string): boolean {
  return !hostname.startsWith('[') && !/^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

function isWithin(origin: string, rpId: string): boolean {
  const { hostname, protocol } = new URL(origin);
  const isSecure = protocol === 'https:' || hostname === LOCALHOST;
  return isSecure && (hostname === rpId || hostname.endsWith(`.${rpId}`));
}

function nameOf(host: string | undefined): string | undefined {
  return host?.replace(/:\d*$/, '').toLowerCase();
}
