import { PUBLIC } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { literals, Type } from './common.ts';

export const signInRoutes = {
  login: defineRoute({
    method: 'POST',
    path: '/auth/login',
    access: PUBLIC,
    summary: 'Sign in with e-mail and password; answers a cookie',
    // Missing halves are answered by the handler, since they count as an attempt.
    body: Type.Object({ email: Type.Optional(Type.Unknown()), password: Type.Optional(Type.Unknown()) }),
    responses: { 204: null },
    sensitive: true,
  }),
  logout: defineRoute({
    method: 'POST',
    path: '/auth/logout',
    access: PUBLIC,
    summary: 'Sign out; clears the cookie',
    responses: { 204: null },
  }),
  authOptions: defineRoute({
    method: 'GET',
    path: '/auth/options',
    access: PUBLIC,
    summary: 'What the sign-in page needs to know',
    responses: {
      200: Type.Object({
        passwordReset: literals(['email', 'admin']),
        authDisabled: Type.Boolean(),
        version: Type.String(),
      }),
    },
  }),
};
