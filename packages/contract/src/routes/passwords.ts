import { ADMIN, exceptAgents, FROM_SIGN_IN, PUBLIC, SIGN_IN_ONLY } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  documentedAs,
  IdParams,
  InstantSchema,
  NewPassword,
  namedObject,
  PasskeyResponse,
  Type,
  withRule,
} from './common.ts';

const ResetLink = namedObject('ResetLink', {
  emailed: Type.Boolean(),
  link: Type.Optional(
    Type.String({
      description:
        'The link, present if no mail is sent and shown only in this response. It is a path if no public URL is configured; complete it with the address of the dashboard.',
    }),
  ),
  expiresAt: InstantSchema,
});

const ResetToken = Type.String({ description: 'The token in the fragment of the link (contract 4).' });

const NEW_PASSWORD_ERRORS = [
  'password must be at least 8 characters',
  'password is too long',
  'password has an unusable character',
  'password is too common',
] as const;

const TAG: RouteTag = {
  name: 'Passwords',
  description: 'Change a password, or reset it by link (specification 5.9, 5.10).',
};

export const passwordRoutes = feature(TAG, {
  changePassword: route.post('/auth/change-password', {
    access: FROM_SIGN_IN,
    summary: "Change the caller's own password; ends their other sign-ins",
    body: Type.Object({
      oldPassword: documentedAs(Type.String(), Type.String({ format: 'password' })),
      newPassword: NewPassword,
    }),
    responses: { 204: null },
    errors: [
      'incorrect current password',
      ...NEW_PASSWORD_ERRORS,
      'too many password attempts',
      'overloaded',
    ],
    sensitive: true,
  }),
  reauthenticate: route.post('/auth/reauthenticate', {
    access: SIGN_IN_ONLY,
    summary: "Prove again who you are, so that the caller's sign-in is fresh for 10 minutes",
    description:
      'Send either the password of the account or the response of a passkey to the options of `POST /auth/passkey/options`. A sign-in that was opened with a key or bearer token cannot become fresh.',
    body: withRule(
      Type.Object({
        password: Type.Optional(documentedAs(Type.String(), Type.String({ format: 'password' }))),
        response: Type.Optional(PasskeyResponse),
      }),
      { minProperties: 1, maxProperties: 1 },
    ),
    responses: { 204: null },
    errors: ['incorrect current password', 'too many password attempts', 'overloaded'],
    sensitive: true,
  }),
  createResetLink: route.post('/users/:id/reset-link', {
    access: exceptAgents(ADMIN),
    summary: 'Create a reset link for a user, and mail it or return it',
    params: IdParams,
    responses: { 200: ResetLink },
    errors: ['cannot_change_yourself', 'role_exceeds_yours', 'user_not_active', 'conflict'],
  }),
  forgotPassword: route.post('/auth/forgot-password', {
    access: PUBLIC,
    summary: 'Request a reset link by mail; the response is the same for every address',
    body: Type.Object({
      email: Type.Optional(
        Type.Unknown({
          description: 'The e-mail address of an account. The response does not depend on it.',
        }),
      ),
    }),
    responses: { 204: null },
    errors: ['too many reset requests', 'unavailable'],
  }),
  checkResetToken: route.post('/auth/reset-password/check', {
    access: PUBLIC,
    summary: 'Whether a reset token is valid; does not use it up',
    body: Type.Object({ token: ResetToken }),
    responses: { 200: Type.Object({ ok: Type.Boolean() }) },
    errors: ['invalid or expired token', 'too many reset requests', 'unavailable'],
    sensitive: true,
  }),
  resetPassword: route.post('/auth/reset-password', {
    access: PUBLIC,
    summary: 'Set a new password with a reset token',
    body: Type.Object({ token: ResetToken, newPassword: NewPassword }),
    responses: { 204: null },
    errors: [
      'invalid or expired token',
      ...NEW_PASSWORD_ERRORS,
      'too many reset requests',
      'overloaded',
      'unavailable',
    ],
    sensitive: true,
  }),
});
