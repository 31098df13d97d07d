import { type Caller, type IssueBearer, type KeyRing, Refusal, scopeList } from '@svc/auth-core';
import { isAtLeast, REST_CREDENTIALS, type RestCredential } from '@svc/contract';
import { type Handlers, instant } from '@svc/module';
import type { AccountStores } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';

interface Tools extends Pick<AccountTools, 'stores' | 'clock'> {
  readonly authDisabled: boolean;
  readonly keyRing: KeyRing;
  readonly bearerTokens: IssueBearer;
}

/**
 * Handlers that show the caller, issue bearer tokens, and publish the keys that verify them (specification 4, 5.3).
 */
export function authHandlers({ authDisabled, keyRing, bearerTokens, stores, clock }: Tools): Handlers {
  return {
    jwks: () => ({ keys: keyRing.publicKeys(clock.now()) }),

    me: ({ caller }) =>
      describe(caller, {
        authDisabled,
        builtInPassword: seesBuiltInPassword(caller)
          ? stores.accounts.hasDefaultPassword()
          : caller.account.defaultPassword,
        // People who sign in through a provider are not reminded of a temporary password. To change it they would have to
        // enter it, and they do not necessarily know it.
        hasTemporaryPassword:
          caller.account.temporaryPasswordUntil !== null &&
          stores.identities.listOf(caller.account.id).length === 0,
        via: viaOf(caller, stores),
      }),

    issueBearer: ({ caller, body }) => bearerTokens.issue(caller, body),

    issueSessionToken: ({ caller }) => bearerTokens.sessionTokenOfPage(caller),
  };
}

interface MeDetails {
  readonly authDisabled: boolean;
  readonly builtInPassword: boolean;
  /** Whether the owner has to replace a password that another person chose. */
  readonly hasTemporaryPassword: boolean;
  readonly via: { readonly rule: string; readonly ruleName: string; readonly subject: string } | undefined;
}

/**
 * Returns the description of the caller. Each field is listed, because spreading objects would take as long as the
 * check of the credential.
 */
function describe(caller: Caller, { authDisabled, builtInPassword, hasTemporaryPassword, via }: MeDetails) {
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
    passwordChangeRequired: hasTemporaryPassword || account.defaultPassword,
    passwordIsTemporary: hasTemporaryPassword,
    builtInPassword,
    ...(via === undefined ? {} : { via }),
  };
}

/** Returns the trust rule that issued the caller's credential to a CI job, or undefined if no rule issued it. */
function viaOf(
  { credential: { rule } }: Caller,
  { trustRules }: Pick<AccountStores, 'trustRules'>,
): MeDetails['via'] {
  if (rule === null) return undefined;
  return { rule: rule.id, ruleName: trustRules.byId(rule.id)?.name ?? '', subject: rule.subject };
}

/**
 * Returns whether the caller gets the information that an account still has the default password. Only an Admin in the
 * dashboard gets it, because only an Admin can change that password.
 */
function seesBuiltInPassword({ account, credential }: Caller): boolean {
  const isPage = credential.kind === 'sign-in' || credential.kind === 'none';
  return isPage && isAtLeast(account.role, 'Admin');
}

const KINDS = new Map<string, RestCredential>(REST_CREDENTIALS.map((kind) => [kind, kind]));

/** Returns the kind of the caller's credential. Throws if it is a kind that only WebDriver requests accept. */
function restCredential({ credential }: Caller): RestCredential {
  const kind = KINDS.get(credential.kind);
  if (kind === undefined) throw new Refusal('invalid token');
  return kind;
}
