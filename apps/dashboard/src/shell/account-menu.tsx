import { useEffect } from 'preact/hooks';
import { pageAddress, SITE } from '../api/addresses.ts';
import { showBrand } from '../api/brand.ts';
import { call } from '../api/client.ts';
import { caller } from '../api/current-caller.ts';
import { useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { Button, Icon, Menu } from '../ui/index.ts';
import { signOut } from './sign-out.ts';
import { ThemeChoice } from './theme-choice.tsx';

/** Shows the menu with the signed-in account, the theme, the version and the sign-out (specification 5.12, 9.1.2). */
export function AccountMenu() {
  const { name, email, role, authDisabled } = caller.value;
  const options = useResource((signal) => call('authOptions', { signal }));
  const version = options.value?.version;
  useEffect(() => {
    if (options.value !== undefined) showBrand(options.value);
  }, [options.value]);
  return (
    <Menu
      label={texts.account.menu(name || email)}
      button={
        <>
          <Icon name="profile" />
          <span class="menu-button-text">{name || email}</span>
          <Icon name="down" />
        </>
      }
    >
      <div class="account-card">
        <strong>{name || email}</strong>
        {name !== '' && <span>{email}</span>}
        <span class="soft">{role}</span>
        {authDisabled && <span class="account-off">{texts.account.signInOff}</span>}
      </div>
      <a class="menu-item" href={pageAddress('profile')}>
        {texts.pages.profile}
      </a>
      <a class="menu-item" href={pageAddress('api-reference')}>
        {texts.pages['api-reference']}
      </a>
      <a class="menu-item" href={`${SITE}docs/`}>
        {texts.account.help}
      </a>
      <ThemeChoice />
      <p class="menu-note">{texts.account.version(version ?? '…')}</p>
      {!authDisabled && (
        <Button kind="quiet" class="menu-item" onClick={signOut}>
          {texts.account.signOut}
        </Button>
      )}
    </Menu>
  );
}
