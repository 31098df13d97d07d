import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
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
 * Shows through which provider a user signs in, and what the provider's groups set. Shows nothing for users without a
 * provider.
 */
export function UserProvider({ user }: { user: User }) {
  const { value } = useResource(provider);
  const identity = value?.identities.find(({ userId }) => userId === user.id);
  if (value === undefined || identity === undefined) return null;
  return (
    <p class="notice">
      {words.fromProvider(identity.issuer)}. {value.setup.managesRoles && words.roleManaged}{' '}
      {value.setup.managesTeams && words.teamsManaged}
    </p>
  );
}
