import { SUPER_ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { ROLES, STATUSES } from '../roles.ts';
import { literals, NullableText, Type } from './common.ts';

/** What decides about the credentials of an account. */
const ToldAccount = Type.Object({
  id: Type.String(),
  role: literals(ROLES),
  status: literals(STATUSES),
  accessKey: Type.String(),
  signInEpoch: Type.Integer(),
  sparedSignIn: NullableText,
});

/** For further entrances of a grid, which have no database. */
export const entranceRoutes = {
  accountsForEntrances: defineRoute({
    method: 'GET',
    path: '/entrances/accounts',
    access: SUPER_ADMIN,
    uncounted: true,
    summary: 'Accounts for further entrances of a grid; waits for a change',
    query: Type.Object({ after: Type.Optional(Type.Unknown()) }),
    responses: {
      200: Type.Object({
        /** Sent back as `after`, it makes the next request wait until something has changed, for 8 s at most. */
        cursor: Type.String(),
        /** Null: nothing has changed. */
        accounts: Type.Union([Type.Array(ToldAccount), Type.Null()]),
      }),
    },
  }),
};
