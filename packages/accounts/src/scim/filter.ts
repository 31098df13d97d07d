import { attributeName } from './names.ts';
import { ScimRefusal } from './scim-refusal.ts';

export interface UserFilter {
  readonly attribute: 'userName' | 'externalId';
  readonly value: string;
}

const LONGEST = 1000;
const EQUALS = /^\s*(\S+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;
const ATTRIBUTES = new Map<string, UserFilter['attribute']>([
  ['username', 'userName'],
  ['externalid', 'externalId'],
]);

/**
 * Parses the filter of a user list, which must compare the user name or the external id with a text (contract 10.5).
 * Letter case of attribute names and operators does not matter (RFC 7644 3.4.2.2). Throws `invalidFilter` for every
 * other filter.
 */
export function parseFilter(text: string): UserFilter {
  const [, name = '', quoted = ''] = (text.length <= LONGEST && EQUALS.exec(text)) || [];
  const attribute = ATTRIBUTES.get(attributeName(name));
  const value = unquoted(quoted);
  if (attribute === undefined || value === undefined) {
    throw new ScimRefusal(400, 'invalidFilter', 'The filter must be: userName eq "…", or externalId eq "…"');
  }
  return { attribute, value };
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
