import { FRESH_SIGN_IN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import { InstantSchema, NullableText, namedObject, ScopeSchema, Type } from './common.ts';
import { SIGN_IN_TAG } from './sign-in.ts';

const Params = Type.Object({
  userCode: Type.String({
    description:
      'The code that the terminal shows, such as `WDJB-MJHT`, in any letter case, with or without hyphen.',
  }),
});

/** Routes for the page on which a person approves the sign-in of a terminal (contract 10.7). */
export const terminalSignInRoutes = feature(SIGN_IN_TAG, {
  terminalSignIn: route.get('/auth/device/:userCode', {
    access: FRESH_SIGN_IN,
    summary: 'The terminal that waits for the approval of a code',
    params: Params,
    responses: {
      200: namedObject('TerminalSignIn', {
        clientName: Type.String(),
        address: NullableText,
        createdAt: InstantSchema,
        scopes: Type.Optional(
          Type.Array(ScopeSchema, {
            description:
              'Present if the terminal requested scopes; otherwise it gets those of a Profile token.',
          }),
        ),
      }),
    },
    errors: ['too many login attempts'],
  }),
  decideTerminalSignIn: route.post('/auth/device/:userCode', {
    access: FRESH_SIGN_IN,
    summary: 'Approve or deny the sign-in of a terminal',
    params: Params,
    body: Type.Object({ approve: Type.Boolean() }),
    responses: { 204: null },
    errors: ['too many login attempts'],
  }),
});
