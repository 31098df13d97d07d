import { SUPER_ADMIN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature } from '../feature.ts';
import {
  documentedAs,
  NullableText,
  namedObject,
  orNull,
  RoleSchema,
  StatusSchema,
  Type,
  UuidSchema,
} from './common.ts';
import { NODES_TAG } from './nodes.ts';

/** Schema of the fields of an account that decide whether its credentials are valid. */
const EntranceAccount = namedObject('EntranceAccount', {
  id: UuidSchema,
  role: RoleSchema,
  status: StatusSchema,
  accessKey: Type.String(),
  signInEpoch: Type.Integer(),
  sparedSignIn: NullableText,
});

/**
 * Schema of a revoked token or key. The servers that get this list refuse the credential and, if `cascades` is true,
 * also the tokens minted from it.
 */
const RevokedToken = namedObject('RevokedToken', { id: Type.String(), cascades: Type.Boolean() });

/**
 * Routes that other svc servers call to get the accounts from this server. Such a server ("further entrance") is in
 * front of the same Selenium Grid, or a similar WebDriver endpoint, and has no database.
 */
export const entranceRoutes = feature(NODES_TAG, {
  accountsForEntrances: route.get('/entrances/accounts', {
    access: SUPER_ADMIN,
    uncounted: true,
    summary: 'Accounts for further entrances of a grid; waits for a change',
    query: Type.Object({
      after: Type.Optional(
        documentedAs(Type.Unknown(), Type.String({ description: 'The `cursor` of the previous response.' })),
      ),
    }),
    responses: {
      200: namedObject('EntranceAccounts', {
        cursor: Type.String({
          description: 'A request with this value as `after` waits for the next change, for at most 8 s.',
        }),
        accounts: orNull(Type.Array(EntranceAccount), {
          description: 'null if nothing has changed.',
        }),
        trustRules: Type.Optional(
          Type.Array(UuidSchema, {
            description: 'Trust rules whose tokens are valid. Absent if nothing has changed.',
          }),
        ),
        revoked: Type.Array(RevokedToken, {
          description: 'Tokens and keys that were revoked; empty if nothing has changed.',
        }),
        longestLife: Type.Optional(
          Type.Integer({
            description: 'Seconds for which a token is valid at most. Absent if nothing has changed.',
          }),
        ),
      }),
    },
  }),
});
