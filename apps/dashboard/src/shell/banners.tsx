import { type PageName, pageAddress } from '../api/addresses.ts';
import { caller } from '../api/current-caller.ts';
import { live } from '../live/live-line.ts';
import { texts } from '../texts/en.ts';

/** Shows the warnings that every user must see on every page (contract 5, specification 5.12). */
export function Banners({ page }: { page: PageName }) {
  const { authDisabled, builtInPassword, passwordChangeRequired } = caller.value;
  // While sign-in is off, no user is signed in, so the warning does not ask the user to change their own password.
  const isOwn = passwordChangeRequired && !authDisabled;
  return (
    <>
      {authDisabled && <p class="notice notice-warn">{texts.banners.signInOff}</p>}
      {builtInPassword && (
        <p class="notice notice-warn">
          {isOwn ? texts.banners.ownBuiltInPassword : texts.banners.builtInPassword}{' '}
          {isOwn && page !== 'profile' && (
            <a href={`${pageAddress('profile')}#password`}>{texts.banners.changeIt}</a>
          )}
        </p>
      )}
      <div role="status">
        {live.value === 'lost' && <p class="notice notice-warn">{texts.banners.disconnected}</p>}
      </div>
    </>
  );
}
