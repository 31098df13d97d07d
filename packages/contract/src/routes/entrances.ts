import { SUPER_ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { documentedAs, NullableText, named, RoleSchema, StatusSchema, Type, UuidSchema } from './common.ts';

/** What decides about the credentials of an account. */
const ToldAccount = named(
  'EntranceAccount',
  Type.Object({
    id: UuidSchema,
    role: RoleSchema,
    status: StatusSchema,
    accessKey: Type.String(),
    signInEpoch: Type.Integer(),
    sparedSignIn: NullableText,
  }),
);

/** For further entrances of a grid, which have no database. */
export const entranceRoutes = {
  accountsForEntrances: defineRoute({
    method: 'GET',
    path: '/entrances/accounts',
    access: SUPER_ADMIN,
    uncounted: true,
    summary: 'Accounts for further entrances of a grid; waits for a change',
    query: Type.Object({
      after: Type.Optional(
        documentedAs(Type.Unknown(), Type.String({ description: 'The `cursor` of the answer before.' })),
      ),
    }),
    responses: {
      200: named(
        'EntranceAccounts',
        Type.Object({
          cursor: Type.String({
            description:
              'Sent back as `after`, it makes the next request wait until something has changed, for 8 s at most.',
          }),
          accounts: Type.Union([Type.Array(ToldAccount), Type.Null()], {
            description: 'null: nothing has changed.',
          }),
        }),
      ),
    },
  }),
};
