import { type Caller, Refusal, scopeList } from '@svc/auth-core';
import { isAtLeast, REST_CREDENTIALS, type RestCredential, routes } from '@svc/contract';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { instant } from '../wire/instant.ts';

/** The caller, bearer tokens, and the keys that verify them (specification 4, 5.3). */
export function authRoutes(api: App, { services }: HttpContext): void {
  const { config, keyRing, clock, stores } = services;

  handle(api, routes.jwks, () => ({ keys: keyRing.publicKeys(clock.now()) }));

  handle(api, routes.me, ({ caller }) =>
    describe(caller, {
      authDisabled: config.authDisabled,
      builtInPassword: seesBuiltInPassword(caller)
        ? stores.accounts.hasDefaultPassword()
        : caller.account.defaultPassword,
    }),
  );

  handle(api, routes.issueBearer, ({ caller, body }) => services.bearerTokens.issue(caller, body));
}

/** Not built by spreading objects, because that costs as much as the check of the credential. */
function describe(
  caller: Caller,
  { authDisabled, builtInPassword }: { authDisabled: boolean; builtInPassword: boolean },
) {
  const { account, scopes, expiresAt } = caller;
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    role: account.role,
    status: account.status,
    accessKey: account.accessKey,
    scopes: scopeList(scopes),
    teams: account.teams,
    kind: restCredential(caller),
    expiresAt: instant(expiresAt),
    authDisabled,
    passwordChangeRequired: account.temporaryPasswordUntil !== null || account.defaultPassword,
    passwordIsTemporary: account.temporaryPasswordUntil !== null,
    builtInPassword,
  };
}

/** Only for a sign-in of a person who can change it, so that scripts do not cause the look-up. */
function seesBuiltInPassword({ account, credential }: Caller): boolean {
  const isPage = credential.kind === 'sign-in' || credential.kind === 'none';
  return isPage && isAtLeast(account.role, 'Admin');
}

const KINDS = new Map<string, RestCredential>(REST_CREDENTIALS.map((kind) => [kind, kind]));

/** The authenticator accepts no other kinds here, because they are for WebDriver only. */
function restCredential({ credential }: Caller): RestCredential {
  const kind = KINDS.get(credential.kind);
  if (kind === undefined) throw new Refusal('invalid token');
  return kind;
}
