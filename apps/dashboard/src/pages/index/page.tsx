import { pageAddress } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { hasVisited } from '../../api/visited.ts';
import { LoadingState } from '../../ui/index.ts';

export const Page = () => <LoadingState />;

/**
 * Chooses the first page: the devices for a signed-in user, and for everyone while sign-in is off; otherwise the
 * sign-in (contract 1).
 */
async function whereTo(): Promise<'devices' | 'sign-in'> {
  if (hasVisited()) {
    const isSignedIn = await call('me').then(
      () => true,
      () => false,
    );
    if (isSignedIn) return 'devices';
  }
  const { authDisabled } = await call('authOptions');
  return authDisabled ? 'devices' : 'sign-in';
}

whereTo().then(
  (page) => location.replace(pageAddress(page)),
  () => location.replace(pageAddress('sign-in')),
);
