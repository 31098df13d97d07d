import { useState } from 'preact/hooks';
import { type PageName, pageAddress } from '../api/addresses.ts';
import { caller, isAtLeast, type Role } from '../api/current-caller.ts';
import { texts } from '../texts/en.ts';
import { Button, Icon, type IconName } from '../ui/index.ts';

interface Entry {
  readonly page: PageName;
  readonly icon: IconName;
  readonly needs?: Role;
}

const ENTRIES: readonly Entry[] = [
  { page: 'devices', icon: 'devices' },
  { page: 'sessions', icon: 'sessions' },
  { page: 'apps', icon: 'apps' },
  { page: 'leases', icon: 'leases' },
  { page: 'agents', icon: 'agents' },
  { page: 'users', icon: 'users', needs: 'Admin' },
  { page: 'teams', icon: 'teams', needs: 'Admin' },
  { page: 'api-keys', icon: 'keys', needs: 'Admin' },
  { page: 'workloads', icon: 'workloads', needs: 'Admin' },
  { page: 'nodes', icon: 'nodes', needs: 'Admin' },
  { page: 'audit', icon: 'audit', needs: 'Admin' },
  { page: 'command-check', icon: 'check', needs: 'Admin' },
  { page: 'settings', icon: 'settings', needs: 'Admin' },
  { page: 'access', icon: 'access', needs: 'Admin' },
  { page: 'profile', icon: 'profile' },
  { page: 'api-reference', icon: 'reference' },
];

/** Renders the navigation as a column beside the page. On a narrow screen, a button opens it. */
export function Navigation({ page }: { page: PageName }) {
  const [isOpen, setOpen] = useState(false);
  const { role } = caller.value;
  const entries = ENTRIES.filter(({ needs = 'Member' }) => isAtLeast(role, needs));
  const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the navigation wherever the focus is in it
    <div class={isOpen ? 'navigation navigation-open' : 'navigation'} onKeyDown={onKeyDown}>
      <Button
        kind="quiet"
        class="navigation-button"
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'close' : 'menu'} />
        {texts.pages[page]}
      </Button>
      <nav id="navigation" aria-label={texts.shell.navigation}>
        <ul>
          {entries.map((entry) => (
            <li key={entry.page}>
              <a href={pageAddress(entry.page)} aria-current={entry.page === page ? 'page' : undefined}>
                <Icon name={entry.icon} />
                {texts.pages[entry.page]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}
