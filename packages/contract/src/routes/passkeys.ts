import { ADMIN, ANY_CALLER, exceptAgents, FRESH_SIGN_IN, PUBLIC } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  NameInput,
  NullableInstant,
  NullableText,
  named,
  namedObject,
  PasskeyResponse,
  Type,
  UuidSchema,
} from './common.ts';

const TAG: RouteTag = {
  name: 'Passkeys',
  description: 'Sign in with a passkey, and manage the passkeys of an account (contract 10).',
};

const Passkey = namedObject('Passkey', {
  id: UuidSchema,
  name: Type.String(),
  createdAt: InstantSchema,
  lastUsedAt: NullableInstant,
  backedUp: Type.Boolean({ description: 'Whether the passkey is synchronised to other devices.' }),
});

/** Returns the schema of WebAuthn options. The WebAuthn standard defines their fields, so they are sent unchanged. */
const optionsOf = (name: string, method: string) =>
  named(
    name,
    documentedAs(
      Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
      Type.Unsafe({
        type: 'object',
        additionalProperties: true,
        description: `The JSON form of the WebAuthn options for \`${method}\`. The challenge is valid once, for 5 minutes.`,
      }),
    ),
  );

const PasskeyParams = Type.Object({
  id: Type.String({ description: 'The id of the user.' }),
  passkeyId: Type.String({ description: 'The id of the passkey.' }),
});

export const passkeyRoutes = feature(TAG, {
  createPasskeySignInOptions: route.post('/auth/passkey/options', {
    access: PUBLIC,
    summary: 'WebAuthn options for signing in with a passkey',
    description: 'The options name no account and no passkey. The request counts as a sign-in attempt.',
    responses: { 200: optionsOf('PasskeySignInOptions', 'navigator.credentials.get') },
    errors: ['too many login attempts', 'unavailable'],
  }),
  loginWithPasskey: route.post('/auth/passkey', {
    access: PUBLIC,
    summary: 'Sign in with a passkey; the response sets a cookie',
    body: Type.Object({ response: PasskeyResponse }),
    responses: { 204: null },
    setsCookie: true,
    errors: ['invalid credentials', 'too many login attempts', 'unavailable'],
    sensitive: true,
  }),
  listPasskeys: route.get('/profile/passkeys', {
    access: ANY_CALLER,
    summary: "The caller's passkeys, newest first",
    responses: { 200: Type.Array(Passkey) },
  }),
  getPasskeyAddress: route.get('/profile/passkeys/address', {
    access: ANY_CALLER,
    summary: 'Where the passkeys of this server work',
    responses: {
      200: namedObject('PasskeyAddress', {
        rpId: Type.String({ description: 'The host name for which passkeys are registered.' }),
        address: NullableText,
        unusable: Type.Array(UuidSchema, {
          description: "The caller's passkeys that were registered for another host name.",
        }),
      }),
    },
  }),
  createPasskeyOptions: route.post('/profile/passkeys/options', {
    access: exceptAgents(FRESH_SIGN_IN),
    summary: 'WebAuthn options for adding a passkey',
    responses: { 200: optionsOf('PasskeyOptions', 'navigator.credentials.create') },
    errors: ['too_many_passkeys'],
  }),
  addPasskey: route.post('/profile/passkeys', {
    access: exceptAgents(FRESH_SIGN_IN),
    summary: "Add a passkey to the caller's account",
    body: Type.Object({ name: NameInput, response: PasskeyResponse }),
    responses: { 201: Passkey },
    errors: ['invalid_name', 'invalid_passkey', 'too_many_passkeys', 'conflict'],
  }),
  changePasskey: route.patch('/profile/passkeys/:id', {
    access: FRESH_SIGN_IN,
    summary: "Rename one of the caller's passkeys",
    params: IdParams,
    body: Type.Object({ name: NameInput }),
    responses: { 200: Passkey },
    errors: ['invalid_name'],
  }),
  removePasskey: route.delete('/profile/passkeys/:id', {
    access: FRESH_SIGN_IN,
    summary: "Remove one of the caller's passkeys",
    params: IdParams,
    responses: { 204: null },
    errors: ['last_way_in'],
  }),
  listUserPasskeys: route.get('/users/:id/passkeys', {
    access: ADMIN,
    summary: 'The passkeys of a user, newest first',
    params: IdParams,
    responses: { 200: Type.Array(Passkey) },
    errors: ['cannot_change_yourself', 'role_exceeds_yours'],
  }),
  removeUserPasskey: route.delete('/users/:id/passkeys/:passkeyId', {
    access: ADMIN,
    summary: 'Remove a passkey of a user',
    params: PasskeyParams,
    responses: { 204: null },
    errors: ['cannot_change_yourself', 'role_exceeds_yours'],
  }),
});
