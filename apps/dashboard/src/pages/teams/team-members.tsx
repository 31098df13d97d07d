import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { ROLES } from '../../api/current-caller.ts';
import { pageOf, usePages } from '../../api/use-pages.ts';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import {
  Badge,
  Button,
  type Column,
  EmptyState,
  PagedTable,
  Panel,
  SearchBox,
  toast,
  useConfirm,
} from '../../ui/index.ts';
import { AddMember } from './add-member.tsx';
import type { Team } from './team.ts';

type User = Answer<'listUsers'>[number];

const PAGE = 50;

/** Lists those members of a team that the caller may see. */
export function TeamMembers({ team }: { team: Team }) {
  const [search, setSearch] = useState('');
  const members = usePages<User>(
    async (before, signal) => {
      const query = { team: team.id, search: search.trim() || undefined, before, limit: String(PAGE) };
      return pageOf(await call('listUsers', { query, signal }), PAGE);
    },
    [team.id, search],
  );
  const takeOut = async ({ id, name }: User) => {
    await call('removeMember', { params: { id: team.id, userId: id } });
    members.change((rows) => rows.filter((row) => row.id !== id));
    toast(texts.teams.left(name));
  };
  const [dialog, ask] = useConfirm((user: User) => ({
    title: texts.teams.takeOutTitle(user.name),
    text: texts.teams.takeOutText,
    confirmLabel: texts.teams.takeOut,
    onConfirm: () => takeOut(user),
  }));
  return (
    <Panel title={texts.teams.members} actions={<AddMember team={team} onAdded={members.reload} />}>
      <SearchBox label={texts.teams.searchMembers} value={search} onSearch={setSearch} />
      <PagedTable
        label={texts.teams.members}
        noun="members"
        pages={members}
        columns={columns(ask)}
        empty={<EmptyState title={search.trim() === '' ? texts.teams.noMembers : texts.lists.nothingFound} />}
      />
      {dialog}
    </Panel>
  );
}

function columns(onTakeOut: (user: User) => void): readonly Column<User>[] {
  const headers = texts.teams.memberColumns;
  return [
    {
      id: 'person',
      header: headers.person,
      cell: ({ name, email }) => (
        <span class="two-lines">
          <span>{name}</span>
          <span class="soft">
            <Breakable text={email} />
          </span>
        </span>
      ),
      order: ({ name, email }) => name || email,
    },
    {
      id: 'role',
      header: headers.role,
      cell: ({ role }) => role,
      order: ({ role }) => ROLES.indexOf(role),
      width: '8rem',
    },
    {
      id: 'status',
      header: headers.status,
      cell: ({ status }) => <Badge tone={status === 'Active' ? 'good' : 'plain'}>{status}</Badge>,
      order: ({ status }) => status,
      width: '7rem',
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (user) => (
        <Button aria-label={texts.teams.takeOutWho(user.name)} onClick={() => onTakeOut(user)}>
          {texts.teams.takeOut}
        </Button>
      ),
      width: '8rem',
    },
  ];
}
