import { ANY_CALLER, exceptAgents, SIGN_IN_ONLY } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { feature } from '../feature.ts';
import { IdParams, InstantSchema, NullableText, named, ScopeSchema, Type, UuidSchema } from './common.ts';
import { SIGN_IN_TAG } from './sign-in.ts';

const SignInItem = named(
  'SignIn',
  Type.Object({
    id: UuidSchema,
    createdAt: InstantSchema,
    lastSeenAt: InstantSchema,
    expiresAt: InstantSchema,
    userAgent: NullableText,
    current: Type.Boolean(),
  }),
);

export const signInListRoutes = feature(SIGN_IN_TAG, {
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
    summary: "End one of the caller's sign-ins",
    params: IdParams,
    responses: { 204: null },
  }),
  openDashboardSession: defineRoute({
    method: 'POST',
    path: '/auth/dashboard-session',
    access: exceptAgents(ANY_CALLER),
    summary: "Open a browser sign-in with a Super admin's key pair or bearer token",
    description: 'The sign-in has the scopes and the expiry of that credential, and ends with it.',
    responses: {
      200: named('DashboardSession', Type.Object({ ok: Type.Boolean(), scopes: Type.Array(ScopeSchema) })),
    },
    setsCookie: true,
    errors: ['super admin required', 'conflict', 'limit_reached'],
  }),
});
