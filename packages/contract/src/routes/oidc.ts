import { ADMIN, ANY_CALLER, FRESH_SIGN_IN, PUBLIC } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import { OIDC_CALLBACK_PATH } from '../names.ts';
import {
  IdParams,
  InstantSchema,
  NullableInstant,
  NullableText,
  namedObject,
  Type,
  UuidSchema,
} from './common.ts';
import { SIGN_IN_TAG } from './sign-in.ts';

const Identity = namedObject('Identity', {
  id: UuidSchema,
  issuer: Type.String({ description: 'The OpenID provider.' }),
  subject: Type.String({ description: 'Id of the person at the provider.' }),
  createdAt: InstantSchema,
  lastSignInAt: NullableInstant,
});

const UserIdentity = namedObject('UserIdentity', {
  id: UuidSchema,
  userId: UuidSchema,
  issuer: Type.String(),
  subject: Type.String({ description: 'Id of the person at the provider.' }),
  lastSignInAt: NullableInstant,
});

const IdentityParams = Type.Object({
  id: Type.String({ description: 'The id of the user.' }),
  identityId: Type.String({ description: 'The id of the identity.' }),
});

const ProviderSetup = namedObject('ProviderSetup', {
  active: Type.Boolean({ description: 'Whether people can sign in through the provider.' }),
  name: NullableText,
  issuer: NullableText,
  callbackUrl: NullableText,
  backchannelLogoutUrl: NullableText,
  managesRoles: Type.Boolean({
    description: 'Whether groups of the provider set the role at each sign-in.',
  }),
  managesTeams: Type.Boolean({ description: 'Whether groups of the provider set teams at each sign-in.' }),
});

export const oidcRoutes = feature(SIGN_IN_TAG, {
  startProviderSignIn: route.get('/auth/oidc/start', {
    access: PUBLIC,
    summary: 'Send the browser to the OpenID provider to sign in',
    description: 'A browser opens this address. The response is always a redirect (contract 10.1).',
    query: Type.Object({
      return: Type.Optional(
        Type.Unknown({ description: 'Own page to which the sign-in leads, such as `/svc/devices`.' }),
      ),
      fresh: Type.Optional(
        Type.Unknown({
          description:
            '`1`: the provider has to authenticate the person again. The new sign-in is fresh (contract 10).',
        }),
      ),
    }),
    responses: { 302: null },
    setsCookie: true,
    errors: ['not_found'],
  }),
  finishProviderSignIn: route.get(OIDC_CALLBACK_PATH, {
    access: PUBLIC,
    summary: 'Where the OpenID provider sends the browser back',
    description:
      'Responds with a redirect to the requested page, or to `/svc/sign-in?problem=` with `oidc_failed`, `oidc_no_account`, `oidc_link` or `oidc_unavailable`.',
    responses: { 302: null },
    setsCookie: true,
    errors: ['not_found', 'unavailable'],
  }),
  getProviderSetup: route.get('/auth/oidc/setup', {
    access: ADMIN,
    summary: 'The addresses to enter at the OpenID provider',
    responses: { 200: ProviderSetup },
  }),
  listIdentities: route.get('/profile/identities', {
    access: ANY_CALLER,
    summary: "The caller's own identities at OpenID providers, oldest first",
    responses: { 200: Type.Array(Identity) },
  }),
  removeIdentity: route.delete('/profile/identities/:id', {
    access: FRESH_SIGN_IN,
    summary: "Unlink one of the caller's identities",
    description:
      'Ends the sign-ins that the identity opened, except the one of this request. Refused with `last_way_in` if the caller could then no longer sign in.',
    params: IdParams,
    responses: { 204: null },
    errors: ['last_way_in'],
  }),
  listUserIdentities: route.get('/users/identities', {
    access: ADMIN,
    summary: 'Identities of the users whom the caller may see',
    responses: { 200: Type.Array(UserIdentity) },
  }),
  removeUserIdentity: route.delete('/users/:id/identities/:identityId', {
    access: ADMIN,
    summary: 'Unlink an identity of a user, and end the sign-ins that it opened',
    params: IdentityParams,
    responses: { 204: null },
    errors: ['cannot_change_yourself', 'role_exceeds_yours'],
  }),
});
