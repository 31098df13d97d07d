import { type Access, PUBLIC } from '../access.ts';
import { defineProtocolRoute } from './protocol-route.ts';

/**
 * Access for key pairs and bearer tokens of any account. Each route then checks whether the account is allowed to see
 * the token in the request's body.
 */
const ANY_ACCOUNT: Access = { accepts: [{ by: 'credential', only: ['key', 'bearer', 'none'] }] };

/** Routes below `/svc/oauth`. They read form bodies, and their errors have the format of RFC 6749. */
export const oauthRoutes = {
  deviceAuthorization: defineProtocolRoute({
    method: 'POST',
    path: '/svc/oauth/device_authorization',
    errorFormat: 'oauth',
    access: PUBLIC,
    summary: 'Ask for the codes of a sign-in from a terminal (RFC 8628)',
  }),
  oauthToken: defineProtocolRoute({
    method: 'POST',
    path: '/svc/oauth/token',
    errorFormat: 'oauth',
    access: PUBLIC,
    // Without `SVC_PUBLIC_URL`, the route still serves the OAuth grant types that do not need it, and refuses the
    // others with `unsupported_grant_type`.
    crossOrigin: true,
    summary: 'Exchange a grant for an access token (RFC 6749)',
  }),
  oauthRevoke: defineProtocolRoute({
    method: 'POST',
    path: '/svc/oauth/revoke',
    errorFormat: 'oauth',
    access: PUBLIC,
    needsPublicUrl: true,
    crossOrigin: true,
    summary: 'Revoke a token; whoever holds it may (RFC 7009)',
  }),
  oauthIntrospect: defineProtocolRoute({
    method: 'POST',
    path: '/svc/oauth/introspect',
    errorFormat: 'oauth',
    access: ANY_ACCOUNT,
    category: 'read',
    needsPublicUrl: true,
    basicClients: true,
    summary: 'Whether a token is valid now (RFC 7662)',
  }),
};
