import { InstantSchema, ScopeSchema, Type } from './common.ts';

/** POST /auth/forgot-password: any JSON object is answered alike (contract 2). */
export const ForgotPasswordBody = Type.Object({ email: Type.Optional(Type.Unknown()) });

export const CheckResetBody = Type.Object({ token: Type.String() });
export const CheckResetResponse = Type.Object({ ok: Type.Boolean() });
export const ResetPasswordBody = Type.Object({ token: Type.String(), newPassword: Type.String() });

export const ChangePasswordBody = Type.Object({ oldPassword: Type.String(), newPassword: Type.String() });

/**
 * POST /users/:id/reset-link. `link` is there once, when no mail is sent; while no public URL is set it is a path,
 * to be completed with the address of the browser it is shown in.
 */
export const ResetLinkResponse = Type.Object({
  emailed: Type.Boolean(),
  link: Type.Optional(Type.String()),
  expiresAt: InstantSchema,
});

export const DashboardSessionResponse = Type.Object({ ok: Type.Boolean(), scopes: Type.Array(ScopeSchema) });
