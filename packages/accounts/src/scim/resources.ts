import type { DirectoryUser } from './directory-users.ts';
import { SCHEMAS } from './names.ts';

/** A SCIM resource as JSON. */
export type Resource = Readonly<Record<string, unknown>>;

/** @returns a user in the form of RFC 7643 4.1. `base` is the address of the SCIM server. */
export function userResource(user: DirectoryUser, base: string): Resource {
  const { account, externalId } = user;
  const { id, email, name, status, createdAt } = account;
  // Leave out the name if it equals the e-mail address. This server uses the address as the name of an account for
  // which the provider sent no name.
  const named = name === email ? {} : { displayName: name, name: { formatted: name } };
  return {
    schemas: [SCHEMAS.user],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: email,
    ...named,
    active: status === 'Active',
    emails: [{ value: email, type: 'work', primary: true }],
    meta: {
      resourceType: 'User',
      created: new Date(createdAt).toISOString(),
      location: locationOf(user, base),
    },
  };
}

export function locationOf({ account }: DirectoryUser, base: string): string {
  return `${base}/Users/${account.id}`;
}

/**
 * @param resources resources on this page of the list
 * @param total number of resources on all pages
 * @param startIndex position of the first resource of this page, counted from 1
 * @returns a list response (RFC 7644 3.4.2)
 */
export function listOf(resources: readonly Resource[], total: number, startIndex = 1): Resource {
  return {
    schemas: [SCHEMAS.list],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
