import { PUBLIC } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import { documentedAs, literals, named, namedObject, orNull, Type } from './common.ts';

export const SIGN_IN_TAG: RouteTag = {
  name: 'Sign-in',
  description: 'Dashboard sign-ins (specification 5.9).',
};

export const signInRoutes = feature(SIGN_IN_TAG, {
  login: route.post('/auth/login', {
    access: PUBLIC,
    summary: 'Sign in with e-mail and password; the response sets a cookie',
    // Validation accepts a body without e-mail or password, because the handler must count it as a failed attempt.
    body: documentedAs(
      Type.Object({ email: Type.Optional(Type.Unknown()), password: Type.Optional(Type.Unknown()) }),
      Type.Object({
        email: Type.String({ format: 'email', minLength: 1 }),
        password: Type.String({ format: 'password', minLength: 1 }),
      }),
    ),
    responses: { 204: null },
    setsCookie: true,
    errors: [
      'email and password required',
      'invalid credentials',
      'too many login attempts',
      'overloaded',
      'unavailable',
    ],
    sensitive: true,
  }),
  logout: route.post('/auth/logout', {
    access: PUBLIC,
    summary: 'Sign out; clears the cookie',
    responses: { 204: null },
    setsCookie: true,
    errors: ['unavailable'],
  }),
  authOptions: route.get('/auth/options', {
    access: PUBLIC,
    summary: 'Data for the sign-in page',
    responses: {
      200: namedObject('AuthOptions', {
        passwordReset: named('PasswordResetMode', literals(['email', 'admin'])),
        authDisabled: Type.Boolean(),
        version: Type.String(),
        oidc: orNull(Type.Object({ name: Type.String() }), {
          description: 'The OpenID provider with which people sign in, or null if none is set up.',
        }),
        passkeys: Type.Boolean({ description: 'Whether people can sign in with a passkey here.' }),
        labName: orNull(Type.String(), {
          description: 'Name of the lab, or null if it has the default name.',
        }),
        labLogo: orNull(Type.String(), {
          description:
            'Address of the logo, relative to `/svc/`, or null if the lab has the default logo. It changes with the picture.',
        }),
        passwordSignIn: Type.Boolean({
          description: 'Whether every account can sign in with a password. If false, only Super admins can.',
        }),
      }),
    },
  }),
});
