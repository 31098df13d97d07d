import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type PageName, pageAddress } from '../api/addresses.ts';
import { brand } from '../api/brand.ts';
import { caller, isAtLeast, type Role, reloadCaller } from '../api/current-caller.ts';
import { noteVisit } from '../api/visited.ts';
import { openLiveLine } from '../live/live-line.ts';
import { texts } from '../texts/en.ts';
import { EmptyState, ErrorState, Icon, LinkButton, LoadingState, PageHeader, Toasts } from '../ui/index.ts';
import { AccountMenu } from './account-menu.tsx';
import { Banners } from './banners.tsx';
import { Navigation, neededRole } from './navigation.tsx';
import { OwnPasswordFirst } from './own-password-first.tsx';
import { SearchButton } from './search-button.tsx';

interface ShellProps {
  page: PageName;
  Content: ComponentType;
}

/** Renders a page for signed-in users with navigation, account menu and banners. */
export function Shell({ page, Content }: ShellProps) {
  const { isReady, error } = useCaller();
  const needs = neededRole(page);
  if (!isReady) {
    return (
      <main class="shell-waits">
        {error === undefined ? (
          <LoadingState />
        ) : (
          <ErrorState error={error} onRetry={() => location.reload()} />
        )}
      </main>
    );
  }
  if (caller.value.passwordIsTemporary) return <OwnPasswordFirst />;
  return (
    <div class="shell">
      <a class="skip-link" href="#content">
        {texts.shell.skip}
      </a>
      <header class="top-bar">
        <a class="brand" href={pageAddress('devices')}>
          <img src={brand.value.logo} alt="" width="28" height="28" />
          <span class="cut">{brand.value.name}</span>
        </a>
        <SearchButton />
        <AccountMenu />
      </header>
      <Navigation page={page} />
      <main class="content" id="content" tabIndex={-1}>
        <Banners page={page} />
        {isAtLeast(caller.value.role, needs) ? <Content /> : <NotForYou page={page} needs={needs} />}
      </main>
      <Toasts />
    </div>
  );
}

function useCaller() {
  const [isReady, setReady] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    reloadCaller().then(() => {
      noteVisit();
      setReady(true);
      // The API refuses live events to a user with a temporary password.
      if (!caller.value.passwordIsTemporary) openLiveLine();
    }, setError);
  }, []);
  return { isReady, error };
}

function NotForYou({ page, needs }: { page: PageName; needs: Role }) {
  return (
    <>
      <PageHeader title={texts.pages[page]} />
      <EmptyState
        title={texts.shell.notForYou}
        text={texts.shell.needsRole(needs)}
        action={
          <LinkButton href={pageAddress('devices')}>
            <Icon name="devices" />
            {texts.pages.devices}
          </LinkButton>
        }
      />
    </>
  );
}
