import { ANY_CALLER, SIGN_IN_ONLY } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { IdParams, InstantSchema, NullableText, ScopeSchema, Type } from './common.ts';

const SignInItem = Type.Object({
  id: Type.String(),
  createdAt: InstantSchema,
  lastSeenAt: InstantSchema,
  expiresAt: InstantSchema,
  userAgent: NullableText,
  current: Type.Boolean(),
});

export const signInListRoutes = {
  listSignIns: defineRoute({
    method: 'GET',
    path: '/auth/sign-ins',
    access: SIGN_IN_ONLY,
    summary: "The caller's own sign-ins",
    responses: { 200: Type.Array(SignInItem) },
  }),
  endSignIn: defineRoute({
    method: 'DELETE',
    path: '/auth/sign-ins/:id',
    access: SIGN_IN_ONLY,
    summary: 'End one of them',
    params: IdParams,
    responses: { 204: null },
  }),
  openDashboardSession: defineRoute({
    method: 'POST',
    path: '/auth/dashboard-session',
    access: ANY_CALLER,
    summary: "Open a browser sign-in with a Super admin's key pair or bearer token",
    responses: { 200: Type.Object({ ok: Type.Boolean(), scopes: Type.Array(ScopeSchema) }) },
  }),
};
