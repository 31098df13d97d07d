/** URNs of the SCIM schemas and messages that this server uses (RFC 7643, RFC 7644). */
export const SCHEMAS = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  config: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
} as const;

/** Maximum number of users in one response. */
export const LARGEST_PAGE = 200;

const USER_PREFIX = `${SCHEMAS.user}:`.toLowerCase();

/**
 * @returns the name of an attribute in lower case and without the prefix of the user schema, because letter case does
 * not matter in attribute names (RFC 7643 2.1)
 */
export function attributeName(name: string): string {
  const key = name.toLowerCase();
  return key.startsWith(USER_PREFIX) ? key.slice(USER_PREFIX.length) : key;
}
