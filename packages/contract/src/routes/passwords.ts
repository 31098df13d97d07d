import { ADMIN, FROM_SIGN_IN, PUBLIC } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { IdParams, InstantSchema, Type } from './common.ts';

/**
 * `link` is there once, when no mail is sent; while no public URL is set it is a path, to be completed with the
 * address of the browser it is shown in.
 */
const ResetLink = Type.Object({
  emailed: Type.Boolean(),
  link: Type.Optional(Type.String()),
  expiresAt: InstantSchema,
});

export const passwordRoutes = {
  changePassword: defineRoute({
    method: 'POST',
    path: '/auth/change-password',
    access: FROM_SIGN_IN,
    summary: "Change the caller's own password; ends their other sign-ins",
    body: Type.Object({ oldPassword: Type.String(), newPassword: Type.String() }),
    responses: { 204: null },
    sensitive: true,
  }),
  createResetLink: defineRoute({
    method: 'POST',
    path: '/users/:id/reset-link',
    access: ADMIN,
    summary: 'Make a reset link for a user and mail or show it',
    params: IdParams,
    responses: { 200: ResetLink },
  }),
  forgotPassword: defineRoute({
    method: 'POST',
    path: '/auth/forgot-password',
    access: PUBLIC,
    summary: 'Ask for a reset link by mail; answered alike for every e-mail',
    body: Type.Object({ email: Type.Optional(Type.Unknown()) }),
    responses: { 204: null },
  }),
  checkResetToken: defineRoute({
    method: 'POST',
    path: '/auth/reset-password/check',
    access: PUBLIC,
    summary: 'Whether a reset token is good, without spending it',
    body: Type.Object({ token: Type.String() }),
    responses: { 200: Type.Object({ ok: Type.Boolean() }) },
    sensitive: true,
  }),
  resetPassword: defineRoute({
    method: 'POST',
    path: '/auth/reset-password',
    access: PUBLIC,
    summary: 'Set a new password with a reset token',
    body: Type.Object({ token: Type.String(), newPassword: Type.String() }),
    responses: { 204: null },
    sensitive: true,
  }),
};
