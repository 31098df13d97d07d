/** A setting that is set in the environment or in a plugin option, as Admins see it. */
export interface GivenSetting {
  /** Name of the variable, such as `SVC_MAX_SESSIONS`. */
  readonly name: string;
  readonly from: 'environment' | 'option' | 'file';
  /** Value, or null if it is secret, unusable or too long to show. */
  readonly value: string | null;
  readonly isUsable: boolean;
}

/** Longer values, such as lists of phones, are not shown. */
const LONGEST_SHOWN = 200;

/** An address with its authority and everything after it. */
const ADDRESS = /\b([a-z][a-z\d+.-]*:\/\/)([^\s/?#"',]*)([^\s"',]*)/gi;

/** Beginnings of secrets of svc, which somebody may put into the wrong variable. */
const OWN_SECRET = /\bsvc[a-z]_/;

/**
 * Describes a setting for Admins. A secret is never shown. Of an address, only scheme, host and port are shown, because
 * its user and password, path and query may be secret.
 * @param text value as it was given, or undefined for a secret
 * @param isUsable whether the rule of the setting accepts the value; an unusable value may be a secret of another setting
 */
export function givenSetting(
  name: string,
  from: GivenSetting['from'],
  text: string | undefined,
  isUsable: boolean,
): GivenSetting {
  return { name, from, value: text === undefined || !isUsable ? null : shown(text), isUsable };
}

function shown(text: string): string | null {
  if (text.length > LONGEST_SHOWN || OWN_SECRET.test(text)) return null;
  return text.replace(ADDRESS, (_, scheme: string, authority: string, rest: string) => {
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    return `${scheme}${host === authority ? '' : '…@'}${host}${rest.length > 1 ? '/…' : rest}`;
  });
}
