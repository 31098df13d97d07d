import { PUBLIC } from '../access.ts';
import { defineProtocolRoute, type ProtocolRoute } from './protocol-route.ts';

/** Routes below `/svc/oidc`, which the OpenID provider of the company calls. */
export const oidcRoutes = {
  backchannelLogout: defineProtocolRoute({
    method: 'POST',
    path: '/svc/oidc/backchannel-logout',
    errorFormat: 'oauth',
    access: PUBLIC,
    needsPublicUrl: true,
    summary:
      'End the sign-ins of a person who signed out at the provider (OpenID Connect Back-Channel Logout)',
  }),
} satisfies Record<string, ProtocolRoute>;
