import { ANY_CALLER, exceptAgents, SIGN_IN_ONLY } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import {
  IdParams,
  InstantSchema,
  NullableText,
  namedObject,
  ScopeSchema,
  Type,
  UuidSchema,
} from './common.ts';
import { SIGN_IN_TAG } from './sign-in.ts';

const SignInItem = namedObject('SignIn', {
  id: UuidSchema,
  createdAt: InstantSchema,
  lastSeenAt: InstantSchema,
  expiresAt: InstantSchema,
  userAgent: NullableText,
  current: Type.Boolean(),
});

export const signInListRoutes = feature(SIGN_IN_TAG, {
  listSignIns: route.get('/auth/sign-ins', {
    access: SIGN_IN_ONLY,
    summary: "The caller's own sign-ins",
    responses: { 200: Type.Array(SignInItem) },
  }),
  endSignIn: route.delete('/auth/sign-ins/:id', {
    access: SIGN_IN_ONLY,
    summary: "End one of the caller's sign-ins",
    params: IdParams,
    responses: { 204: null },
  }),
  openDashboardSession: route.post('/auth/dashboard-session', {
    access: exceptAgents(ANY_CALLER),
    summary: "Open a browser sign-in with a Super admin's key pair or bearer token",
    description: 'The sign-in has the scopes and the expiry of that credential, and ends with it.',
    responses: {
      200: namedObject('DashboardSession', { ok: Type.Boolean(), scopes: Type.Array(ScopeSchema) }),
    },
    setsCookie: true,
    errors: ['super admin required', 'conflict', 'limit_reached'],
  }),
});
