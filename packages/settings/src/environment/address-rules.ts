import { entriesOf, type Rule, ruled, Unusable } from './rules.ts';

export const addressList: Rule<readonly string[]> = ruled(
  'comma list of addresses and CIDR ranges',
  (value) => {
    const entries = entriesOf(value, 'lists no address');
    if (!entries.every(isAddressRange))
      throw new Unusable('has an entry that is neither an address nor a CIDR range');
    return entries;
  },
);

/** Parses host names, addresses and CIDR ranges. Returns host names in the spelling of the `URL` class. */
export const hostList: Rule<readonly string[]> = ruled(
  'comma list of host names, addresses and CIDR ranges',
  (value) => {
    return entriesOf(value.toLowerCase(), 'lists no host').map((entry) => {
      if (isAddressRange(entry)) return entry;
      const host = /^[a-z0-9._-]+$/.test(entry) ? toUrl(`http://${entry}/`)?.hostname : undefined;
      // Refuse `010.0.0.1` and `2130706433`, because the `URL` class reads them as addresses other than the operator
      // probably means.
      if (host !== entry) throw new Unusable('has an entry that is no host name, address or CIDR range');
      return entry;
    });
  },
);

/** Returns whether the entry is an IPv4 or IPv6 address, with or without `/<bits>`. */
function isAddressRange(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false;
  const isV4 =
    // Refuse a leading zero, because some programs would read the number as octal.
    /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(address) &&
    address.split('.').every((part) => Number(part) <= 255);
  const isV6 =
    /^[0-9a-f:.]+$/i.test(address) && address.includes(':') && toUrl(`http://[${address}]/`) !== null;
  return (isV4 || isV6) && Number(bits ?? 0) <= (isV4 ? 32 : 128);
}

/** Parses the http(s) address of another server. The address must consist of scheme, host and port only. */
export const serverUrl: Rule<string> = ruled('http(s) address of scheme, host and port', (value) => {
  const url = bareUrl(value);
  if (url?.pathname !== '/') throw new Unusable('is not an http(s) address of scheme, host and port');
  return url.origin;
});

/** Parses the http(s) address of a WebDriver server, optionally with the path prefix of its routes. */
export const upstreamUrl: Rule<{ readonly url: string; readonly basePath: string }> = (value) => {
  const url = bareUrl(value, /[?#%\\]/);
  const basePath = url?.pathname.replace(/\/+$/, '') ?? '';
  if (url === null || !/^(?:\/[A-Za-z0-9._~-]+)*$/.test(basePath)) {
    throw new Unusable('is not an http(s) address without user, query and fragment');
  }
  return { url: url.origin, basePath };
};

/**
 * Returns the origin of an http(s) address. The only accepted path is the dashboard's, `/svc/` (specification 5.10.3).
 */
export const publicUrl: Rule<string> = ruled(
  'http(s) address of scheme, host and port, possibly with `/svc/`',
  (value) => {
    const url = bareUrl(value);
    const path = url?.pathname.replace(/\/+$/, '') ?? '';
    if (url === null || (path !== '' && path !== '/svc'))
      throw new Unusable('must be scheme, host and port, optionally followed by /svc/');
    return url.origin;
  },
);

const LONGEST_ADDRESS = 2048;

/** Parses an http(s) address to which paths such as `/models` are appended. Removes trailing slashes. */
export const httpBaseUrl: Rule<string> = ruled(
  'http(s) address without user, query and fragment',
  (value) => {
    const address = value.trim();
    // Refuse addresses in which a URL parser would replace or remove characters: the operator meant another address.
    const isPlain =
      /^https?:\/\/[^\s\p{Cc}\p{Cs}\\?#]+$/iu.test(address) && address.length <= LONGEST_ADDRESS;
    const url = isPlain ? bareUrl(address) : null;
    if (url === null) throw new Unusable('is not an http(s) address without user, query and fragment');
    return url.href.replace(/\/+$/, '');
  },
);

function toUrl(value: string): URL | null {
  const url = URL.canParse(value.trim()) ? new URL(value.trim()) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

/** Returns an http(s) address without user, password and the characters of `refused`, or null for any other text. */
function bareUrl(value: string, refused = /[?#]/): URL | null {
  const url = toUrl(value);
  return url !== null && url.username === '' && url.password === '' && !refused.test(value) ? url : null;
}

export const smtpUrl: Rule<string> = ruled('`smtp://` or `smtps://` address', (value) => {
  if (!/^smtps?:\/\/[^\s]+$/.test(value.trim())) throw new Unusable('is not an smtp:// or smtps:// address');
  return value.trim();
});
