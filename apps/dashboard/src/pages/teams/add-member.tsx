import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, DialogButton, EmptyState, Problem, ResourceView, SearchBox, toast } from '../../ui/index.ts';
import type { Team } from './team.ts';

type User = Answer<'listUsers'>[number];

/** Maximum number of people that the dialog lists. If there are more, the user must search. */
const OFFERED = 25;

interface AddMemberProps {
  team: Team;
  onAdded: () => void;
}

export function AddMember({ team, onAdded }: AddMemberProps) {
  return (
    <DialogButton label={texts.teams.addMember} title={texts.teams.addMemberTitle(team.name)}>
      {() => <People team={team} onAdded={onAdded} />}
    </DialogButton>
  );
}

function People({ team, onAdded }: AddMemberProps) {
  const [search, setSearch] = useState('');
  const people = useResource(
    (signal) => call('listUsers', { query: { search: search.trim(), limit: String(OFFERED) }, signal }),
    [search],
  );
  return (
    <>
      <SearchBox label={texts.teams.searchPeople} value={search} onSearch={setSearch} />
      <ResourceView resource={people}>
        {(list) => (
          <>
            {list.length === 0 && (
              <EmptyState title={texts.lists.nothingFound} text={texts.lists.otherWords} />
            )}
            <ul class="pick-list">
              {list.map((user) => (
                <li key={user.id}>
                  <Candidate user={user} team={team} onAdded={onAdded} />
                </li>
              ))}
            </ul>
            {list.length === OFFERED && <p class="hint">{texts.teams.morePeople}</p>}
          </>
        )}
      </ResourceView>
    </>
  );
}

function Candidate({ user, team, onAdded }: { user: User; team: Team; onAdded: () => void }) {
  const [isIn, setIn] = useState(user.teams.some(({ id }) => id === team.id));
  const add = useAction(async () => {
    await call('addMember', { params: { id: team.id }, body: { userId: user.id } });
    setIn(true);
    toast(texts.teams.joined(user.name, team.name));
    onAdded();
  });
  return (
    <>
      <span class="two-lines">
        <span>{user.name}</span>
        <span class="soft">{user.email}</span>
      </span>
      {isIn ? (
        <span class="soft" role="status">
          {texts.teams.isIn}
        </span>
      ) : (
        <Button busy={add.isBusy} aria-label={texts.teams.addWho(user.name)} onClick={add.run}>
          {texts.teams.add}
        </Button>
      )}
      <Problem text={add.problem} />
    </>
  );
}
