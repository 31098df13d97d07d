import { PROTOCOL_PREFIXES } from '@svc/contract';
import { type Handlers, instant } from '@svc/module';
import type { Config } from '@svc/settings';
import { partyOf } from '../passkeys/relying-party.ts';
import type { ManageUsers } from '../users/manage-users.ts';
import type { OidcService } from './open.ts';
import type { OwnIdentities } from './own-identities.ts';

interface Tools {
  readonly oidc: OidcService | null;
  readonly config: Pick<Config, 'oidc' | 'publicUrl' | 'allowedOrigins'>;
  readonly ownIdentities: OwnIdentities;
  readonly users: ManageUsers;
}

/** Handlers of the OpenID provider's setup and of the identities that are linked to accounts (contract 10.1). */
export function identityHandlers({ oidc, config, ownIdentities, users }: Tools): Handlers {
  return {
    getProviderSetup: () => ({
      active: oidc !== null,
      name: config.oidc?.name ?? null,
      issuer: config.oidc?.issuer ?? null,
      callbackUrl: oidc?.callbackUrl ?? null,
      backchannelLogoutUrl:
        oidc === null ? null : `${oidc.publicUrl}${PROTOCOL_PREFIXES.oidc}/backchannel-logout`,
      managesRoles: oidc !== null && config.oidc?.roles !== null,
      managesTeams: oidc !== null && config.oidc?.teams !== null,
    }),

    listIdentities: ({ caller }) =>
      ownIdentities.list(caller).map(({ id, issuer, subject, ...times }) => ({
        id,
        issuer,
        subject,
        createdAt: instant(times.createdAt),
        lastSignInAt: instant(times.lastSignInAt),
      })),

    listUserIdentities: ({ caller }) =>
      users.identities(caller).map(({ id, accountId, issuer, subject, lastSignInAt }) => ({
        id,
        userId: accountId,
        issuer,
        subject,
        lastSignInAt: instant(lastSignInAt),
      })),

    removeIdentity: {
      authorize: (caller, { id }) => void ownIdentities.checkOwn(caller, id),
      answer: ({ caller, params }, tools) =>
        ownIdentities.remove(caller, params.id, partyOf(config, tools).rpId),
    },

    removeUserIdentity: {
      authorize: (caller, { id }) => ownIdentities.checkReach(caller, id),
      answer: ({ caller, params }) => ownIdentities.removeOf(caller, params.id, params.identityId),
    },
  };
}
