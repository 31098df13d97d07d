import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { ConfirmButton, toast } from '../../ui/index.ts';
import type { User } from './user.ts';

const words = texts.oidc;

async function provider(signal: AbortSignal) {
  const [identities, setup] = await Promise.all([
    call('listUserIdentities', { signal }),
    call('getProviderSetup', { signal }),
  ]);
  return { identities, setup };
}

/**
 * Shows through which provider a user signs in, and whether the provider's groups determine the user's role and teams.
 * Shows nothing for users without a provider.
 */
export function UserProvider({ user, mayUnlink }: { user: User; mayUnlink: boolean }) {
  const { value, reload } = useResource(provider);
  const identity = value?.identities.find(({ userId }) => userId === user.id);
  if (value === undefined || identity === undefined) return null;
  const unlink = async () => {
    await call('removeUserIdentity', { params: { id: user.id, identityId: identity.id } });
    toast(words.identities.unlinked);
    reload();
  };
  return (
    <div class="notice">
      <p>
        {words.fromProvider(identity.issuer)}. {value.setup.managesRoles && words.roleManaged}{' '}
        {value.setup.managesTeams && words.teamsManaged}
      </p>
      {mayUnlink && (
        <ConfirmButton
          label={words.identities.unlink}
          title={words.identities.unlinkTitle(identity.issuer)}
          text={words.unlinkUserText}
          onConfirm={unlink}
        />
      )}
    </div>
  );
}
