import { PUBLIC } from '../access.ts';
import { defineRoomRoute, type RoomRoute } from './room-route.ts';

/** Routes below `/svc/oidc`, which the OpenID provider of the company calls. */
export const oidcRoutes = {
  backchannelLogout: defineRoomRoute({
    method: 'POST',
    path: '/svc/oidc/backchannel-logout',
    access: PUBLIC,
    summary:
      'End the sign-ins of a person who signed out at the provider (OpenID Connect Back-Channel Logout)',
  }),
} satisfies Record<string, RoomRoute>;
