import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { caller, ROLES } from '../../api/current-caller.ts';
import { usePageQuery } from '../../api/page-query.ts';
import { pageOf, usePages } from '../../api/use-pages.ts';
import { useReloadOnAudit } from '../../live/use-audit-events.ts';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import {
  Badge,
  Button,
  type Column,
  EmptyState,
  PagedTable,
  PageHeader,
  SearchBox,
  TimeAgo,
} from '../../ui/index.ts';
import { EditUser } from './edit-user.tsx';
import { InviteUser } from './invite-user.tsx';
import type { User } from './user.ts';
import { isWanted, useUserFilter } from './user-filter.ts';
import { UserFilters } from './user-filters.tsx';

const PAGE = 100;

export function Page() {
  const [search, setSearch] = usePageQuery('search');
  const [filter, setFilter] = useUserFilter();
  const [edited, setEdited] = useState<User>();
  const pages = usePages<User>(
    async (before, signal, large = PAGE) => {
      const query = { search: search.trim() || undefined, before, limit: String(large) };
      return pageOf(await call('listUsers', { query, signal }), large);
    },
    [search],
  );
  const isFiltered = Object.values(filter).some((value) => value !== '');
  useEffect(() => {
    if (isFiltered) pages.loadAll();
  }, [isFiltered]);
  // After the user has loaded further pages, the list is not reloaded, because a reload would return to the first page.
  useReloadOnAudit(
    (event) => event.startsWith('user_'),
    () => pages.rows.length <= PAGE && pages.reload(),
  );
  const put = (user: User) => {
    pages.change((rows) => rows.map((row) => (row.id === user.id ? user : row)));
    setEdited(user);
  };
  const remove = ({ id }: User) => {
    pages.change((rows) => rows.filter((row) => row.id !== id));
    setEdited(undefined);
  };
  return (
    <>
      <PageHeader
        title={texts.pages.users}
        lead={texts.users.lead}
        actions={<InviteUser onInvited={pages.reload} />}
      />
      <section class="panel" aria-label={texts.users.list}>
        <search class="filter-bar">
          <SearchBox label={texts.users.search} value={search} onSearch={setSearch} />
          <UserFilters filter={filter} onChange={setFilter} />
        </search>
        <PagedTable
          label={texts.users.list}
          noun="users"
          pages={pages}
          rows={pages.rows.filter((user) => isWanted(user, filter))}
          columns={columns(setEdited)}
          onOpen={setEdited}
          empty={<NoUsers isSearch={search.trim() !== '' || isFiltered} />}
        />
      </section>
      {edited !== undefined && (
        <EditUser
          key={edited.id}
          user={edited}
          onChanged={put}
          onRemoved={remove}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

function NoUsers({ isSearch }: { isSearch: boolean }) {
  if (!isSearch) return <EmptyState title={texts.users.empty} />;
  return <EmptyState title={texts.lists.nothingFound} text={texts.lists.otherWords} />;
}

function columns(onEdit: (user: User) => void): readonly Column<User>[] {
  const { columns: headers } = texts.users;
  return [
    {
      id: 'person',
      header: headers.person,
      cell: (user) => <Person user={user} />,
      order: ({ name, email }) => name || email,
      width: '23rem',
    },
    {
      id: 'role',
      header: headers.role,
      cell: ({ role }) => role,
      order: ({ role }) => ROLES.indexOf(role),
      width: '7rem',
    },
    {
      id: 'status',
      header: headers.status,
      cell: ({ status }) => <Badge tone={status === 'Active' ? 'good' : 'plain'}>{status}</Badge>,
      order: ({ status }) => status,
      width: '6rem',
    },
    {
      id: 'teams',
      header: headers.teams,
      cell: ({ teams }) => <Teams teams={teams} />,
      order: ({ teams }) => teams[0]?.name ?? null,
    },
    {
      id: 'lastSignIn',
      header: headers.lastSignIn,
      cell: (user) => <LastSignIn user={user} />,
      order: ({ lastSignInAt }) => lastSignInAt,
      width: '11rem',
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (user) => (
        <Button aria-label={texts.users.editWho(user.name)} onClick={() => onEdit(user)}>
          {texts.users.edit}
        </Button>
      ),
      width: '6rem',
    },
  ];
}

function Person({ user: { id, name, email, emailUnconfirmed } }: { user: User }) {
  return (
    <span class="two-lines">
      <span>
        {name} {id === caller.value.id && <Badge>{texts.users.you}</Badge>}
      </span>
      <span class="soft">
        <Breakable text={email} /> {emailUnconfirmed && <Badge tone="warn">{texts.users.unconfirmed}</Badge>}
      </span>
    </span>
  );
}

function LastSignIn({ user: { lastSignInAt, temporaryPasswordUntil: until } }: { user: User }) {
  if (until === undefined) return <TimeAgo at={lastSignInAt} />;
  return (
    <span class="two-lines">
      <TimeAgo at={lastSignInAt} />
      <span class="soft">
        {until === null ? (
          texts.users.passwordNotReplaced
        ) : (
          <>
            {texts.users.passwordUntil(Date.parse(until) <= Date.now())} <TimeAgo at={until} />
          </>
        )}
      </span>
    </span>
  );
}

/** Number of teams that a row names, so that it stays short. The dialog of the user shows all of them. */
const MOST_TEAMS = 3;

function Teams({ teams }: Pick<User, 'teams'>) {
  if (teams.length === 0) return <span class="soft">{texts.common.none}</span>;
  const names = teams.slice(0, MOST_TEAMS).map(({ name }) => name);
  const others = teams.length - names.length;
  return <>{[...names, ...(others > 0 ? [texts.users.moreTeams(others)] : [])].join(', ')}</>;
}
