import type { DirectoryUser } from '@svc/auth-core';
import { SCHEMAS } from './names.ts';

/** A resource as JSON. */
export type Resource = Readonly<Record<string, unknown>>;

/** @returns a user in the form of RFC 7643 4.1. `base` is the address of the SCIM server. */
export function userResource(user: DirectoryUser, base: string): Resource {
  const { account, externalId } = user;
  const { id, email, name, status, createdAt } = account;
  // An account needs a name, so the e-mail address takes its place while the provider sends none.
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

/** @returns a list in the form of RFC 7644 3.4.2. `startIndex` is the number of the first resource, from 1 on. */
export function listOf(resources: readonly Resource[], total: number, startIndex = 1): Resource {
  return {
    schemas: [SCHEMAS.list],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
