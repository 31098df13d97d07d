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

type GroupName = keyof typeof texts.shell.groups;

/** Pages in the order of the navigation. The account menu leads to the profile. */
const GROUPS: readonly (readonly [name: GroupName, entries: readonly Entry[]])[] = [
  [
    'lab',
    [
      { page: 'devices', icon: 'devices' },
      { page: 'sessions', icon: 'sessions' },
      { page: 'apps', icon: 'apps' },
      { page: 'leases', icon: 'leases' },
      { page: 'agents', icon: 'agents' },
    ],
  ],
  [
    'people',
    [
      { page: 'users', icon: 'users', needs: 'Admin' },
      { page: 'teams', icon: 'teams', needs: 'Admin' },
      { page: 'api-keys', icon: 'keys', needs: 'Admin' },
      { page: 'workloads', icon: 'workloads', needs: 'Admin' },
    ],
  ],
  [
    'server',
    [
      { page: 'nodes', icon: 'nodes', needs: 'Admin' },
      { page: 'audit', icon: 'audit', needs: 'Admin' },
      { page: 'settings', icon: 'settings', needs: 'Admin' },
    ],
  ],
  [
    'security',
    [
      { page: 'command-check', icon: 'check', needs: 'Admin' },
      { page: 'access', icon: 'access', needs: 'Admin' },
      { page: 'api-reference', icon: 'reference' },
    ],
  ],
];

/** @returns the pages that the user may open, with their titles */
export function allowedPages(): readonly (readonly [PageName, string])[] {
  const entries = GROUPS.flatMap(([, each]) => each).filter(isAllowed);
  return [...entries.map(({ page }) => page), 'profile' as const].map((page) => [page, texts.pages[page]]);
}

/**
 * @returns the lowest role that sees the page. The page only hides its content from others; the API enforces the access.
 */
export function neededRole(page: PageName): Role {
  return GROUPS.flatMap(([, each]) => each).find((entry) => entry.page === page)?.needs ?? 'Member';
}

function isAllowed({ needs = 'Member' }: Entry): boolean {
  return isAtLeast(caller.value.role, needs);
}

/** Renders the navigation as a column beside the page. On a narrow screen, a button opens it. */
export function Navigation({ page }: { page: PageName }) {
  const [isOpen, setOpen] = useState(false);
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
        {GROUPS.map(([name, entries]) => (
          <Group key={name} name={name} entries={entries} page={page} />
        ))}
      </nav>
    </div>
  );
}

/** Renders the pages of a group that the user may open, and nothing if there is none. */
function Group({ name, entries, page }: { name: GroupName; entries: readonly Entry[]; page: PageName }) {
  const allowed = entries.filter(isAllowed);
  if (allowed.length === 0) return null;
  const id = `navigation-${name}`;
  return (
    <>
      <h2 id={id}>{texts.shell.groups[name]}</h2>
      <ul aria-labelledby={id}>
        {allowed.map((entry) => (
          <li key={entry.page}>
            <a href={pageAddress(entry.page)} aria-current={entry.page === page ? 'page' : undefined}>
              <Icon name={entry.icon} />
              {texts.pages[entry.page]}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
