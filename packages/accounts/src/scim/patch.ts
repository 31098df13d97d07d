import { attributeName } from './names.ts';
import { ScimRefusal } from './scim-refusal.ts';
import { attributesOf, setAttribute, type UserBody } from './user-body.ts';

const MOST_OPERATIONS = 100;
/**
 * Paths of a PATCH operation: `attribute`, `attribute.sub` or `attribute[filter].sub`, with an optional schema before
 * them.
 */
const PATH = /^(?:urn:[\w.:-]+:)?[a-z$][\w$-]*(?:\[[^[\]]*\])?(?:\.[a-z$][\w$-]*)?$/i;
const STORED: ReadonlySet<string> = new Set(['username', 'externalid', 'displayname', 'active']);
const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'schemas']);
const REQUIRED: ReadonlySet<string> = new Set(['username', 'active']);

/**
 * Combines the operations of a PATCH into one change; the last value of an attribute wins (RFC 7644 3.5.2). Letter case
 * of operations does not matter, because Microsoft Entra ID capitalises them. Attributes that this server does not
 * store are ignored.
 */
export function readPatch(body: unknown): UserBody {
  const operations = attributesOf(body).get('operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw new ScimRefusal(400, 'invalidSyntax', 'Operations: must be a list of operations');
  if (operations.length > MOST_OPERATIONS)
    throw new ScimRefusal(400, 'invalidValue', `Operations: at most ${MOST_OPERATIONS} are possible`);
  const user: UserBody = {};
  for (const operation of operations) apply(user, attributesOf(operation));
  return user;
}

function apply(user: UserBody, operation: ReadonlyMap<string, unknown>): void {
  const op = String(operation.get('op')).toLowerCase();
  const path = operation.get('path');
  const value = operation.get('value');
  if (op === 'remove') {
    remove(user, path);
    return;
  }
  if (op !== 'add' && op !== 'replace')
    throw new ScimRefusal(400, 'invalidSyntax', 'op: must be add, replace or remove');
  if (path === undefined || path === null || path === '') {
    for (const [name, each] of attributesOf(value)) setAttribute(user, name, each);
    return;
  }
  const name = targetOf(path);
  if (value === undefined) throw new ScimRefusal(400, 'invalidValue', 'value: is required');
  setAttribute(user, name, value);
}

function remove(user: UserBody, path: unknown): void {
  if (path === undefined || path === null || path === '')
    throw new ScimRefusal(400, 'noTarget', 'path: is required to remove an attribute');
  const name = targetOf(path);
  if (REQUIRED.has(name)) throw new ScimRefusal(400, 'mutability', 'A required attribute cannot be removed');
  setAttribute(user, name, null);
}

/**
 * @returns the name of the attribute to which the path leads, or the whole path for an attribute that this server does
 * not store
 */
function targetOf(path: unknown): string {
  if (typeof path !== 'string' || path.length > 500 || !PATH.test(path))
    throw new ScimRefusal(400, 'invalidPath', 'path: is no attribute');
  const name = attributeName(path);
  const [attribute = ''] = name.split(/[.[]/, 1);
  if (STORED.has(attribute) && attribute !== name)
    throw new ScimRefusal(400, 'invalidPath', 'path: the attribute has no parts');
  if (READ_ONLY.has(attribute)) throw new ScimRefusal(400, 'mutability', 'path: the attribute is read-only');
  return name;
}
