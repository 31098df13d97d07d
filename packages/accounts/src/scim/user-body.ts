import { isRecord } from '@svc/contract';
import { attributeName } from './names.ts';
import { ScimRefusal } from './scim-refusal.ts';

/** Attributes of a user in a request. Absent attributes are undefined, and removed attributes are null. */
export interface UserBody {
  userName?: string | undefined;
  externalId?: string | null | undefined;
  displayName?: string | null | undefined;
  active?: boolean | undefined;
}

const LONGEST_EXTERNAL_ID = 255;

/** Reads the body of a POST or PUT. Attributes that this server does not store are ignored (RFC 7644 3.3). */
export function readUser(body: unknown): UserBody & { readonly userName: string } {
  const attributes = attributesOf(body);
  const user: UserBody = {};
  for (const [name, value] of attributes) setAttribute(user, name, value);
  const { userName } = user;
  if (userName === undefined) throw new ScimRefusal(400, 'invalidValue', 'userName: is required');
  return { ...user, userName, displayName: user.displayName ?? nameOf(attributes.get('name')) };
}

/** @returns the sub-attributes of a complex value by lower-case name. Throws if a name occurs twice. */
export function attributesOf(value: unknown): Map<string, unknown> {
  if (!isRecord(value)) throw new ScimRefusal(400, 'invalidSyntax', 'A JSON object is expected');
  const attributes = new Map<string, unknown>();
  for (const [name, each] of Object.entries(value)) {
    const key = attributeName(name);
    if (attributes.has(key)) throw new ScimRefusal(400, 'invalidSyntax', 'An attribute occurs twice');
    attributes.set(key, each);
  }
  return attributes;
}

/**
 * Copies an attribute into `user` if this server stores it, otherwise ignores it. `null` and an empty array remove the
 * attribute's value (RFC 7643 2.5).
 */
export function setAttribute(user: UserBody, name: string, given: unknown): void {
  const value = Array.isArray(given) && given.length === 0 ? null : given;
  switch (name) {
    case 'username':
      if (value !== null) user.userName = textOf('userName', value);
      break;
    case 'externalid':
      user.externalId = value === null ? null : boundedId(textOf('externalId', value));
      break;
    case 'displayname':
      user.displayName = value === null ? null : textOf('displayName', value);
      break;
    case 'active':
      if (value !== null) user.active = activeOf(value);
      break;
  }
}

/**
 * @returns the value of `active` as a boolean. Accepts the texts "True" and "False" in any letter case, because
 * Microsoft Entra ID sends them.
 */
function activeOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw new ScimRefusal(400, 'invalidValue', 'active: must be true or false');
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ScimRefusal(400, 'invalidValue', `${name}: must be a text`);
}

function boundedId(id: string): string {
  if (id !== '' && id.length <= LONGEST_EXTERNAL_ID && !/[\p{Cc}\p{Cs}]/u.test(id)) return id;
  throw new ScimRefusal(
    400,
    'invalidValue',
    `externalId: must have 1 to ${LONGEST_EXTERNAL_ID} printable characters`,
  );
}

/** @returns the full name from the attribute `name`, or undefined if `name` contains none */
function nameOf(name: unknown): string | undefined {
  if (!isRecord(name)) return undefined;
  const parts = attributesOf(name);
  const text = (key: string) => {
    const part = parts.get(key);
    return typeof part === 'string' ? part.trim() : '';
  };
  const whole = text('formatted') || `${text('givenname')} ${text('familyname')}`.trim();
  return whole === '' ? undefined : whole;
}
