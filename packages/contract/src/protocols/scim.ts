import type { Access } from '../access.ts';
import { defineProtocolRoute, type ProtocolRoute, type ProtocolRouteSpec } from './protocol-route.ts';

/** Only Super admins may create keys of kind `scim`, so a key is refused when its owner is no Super admin any more. */
const PROVIDER: Access = { accepts: [{ by: 'scim-key' }], role: 'Super admin' };

const scim = (spec: Omit<ProtocolRouteSpec, 'access' | 'errorFormat'>): ProtocolRoute =>
  defineProtocolRoute({ ...spec, access: PROVIDER, errorFormat: 'scim', needsPublicUrl: true });

/**
 * Routes below `/svc/scim/v2`, which an identity provider calls with a key of kind `scim` (RFC 7644, contract 10.5).
 */
export const scimRoutes = {
  scimConfig: scim({
    method: 'GET',
    path: '/svc/scim/v2/ServiceProviderConfig',
    summary: 'What the SCIM server supports',
  }),
  scimResourceTypes: scim({
    method: 'GET',
    path: '/svc/scim/v2/ResourceTypes',
    summary: 'The types of resources',
  }),
  scimResourceType: scim({
    method: 'GET',
    path: '/svc/scim/v2/ResourceTypes/:id',
    summary: 'One type of resources',
  }),
  scimSchemas: scim({ method: 'GET', path: '/svc/scim/v2/Schemas', summary: 'The schemas of the resources' }),
  scimSchema: scim({ method: 'GET', path: '/svc/scim/v2/Schemas/:id', summary: 'One schema' }),
  listScimUsers: scim({
    method: 'GET',
    path: '/svc/scim/v2/Users',
    summary: 'A page of the users, or those that a filter finds',
  }),
  createScimUser: scim({
    method: 'POST',
    path: '/svc/scim/v2/Users',
    summary: 'Create a Member without a password',
  }),
  getScimUser: scim({ method: 'GET', path: '/svc/scim/v2/Users/:id', summary: 'One user' }),
  replaceScimUser: scim({ method: 'PUT', path: '/svc/scim/v2/Users/:id', summary: 'Replace a user' }),
  patchScimUser: scim({ method: 'PATCH', path: '/svc/scim/v2/Users/:id', summary: 'Change a user' }),
  removeScimUser: scim({ method: 'DELETE', path: '/svc/scim/v2/Users/:id', summary: 'Make a user Inactive' }),
  searchScim: scim({
    method: 'POST',
    path: '/svc/scim/v2/.search',
    summary: 'Not supported: a search of all types of resources',
  }),
} satisfies Record<string, ProtocolRoute>;
