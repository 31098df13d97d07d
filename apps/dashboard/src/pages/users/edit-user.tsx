import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { Dialog, Field, Form, toast } from '../../ui/index.ts';
import type { User } from './user.ts';
import { UserActions } from './user-actions.tsx';
import { RoleField, TeamsField } from './user-fields.tsx';
import { problemsOf, type UserProblems } from './user-problems.ts';

interface EditUserProps {
  user: User;
  onChanged: (user: User) => void;
  onRemoved: (user: User) => void;
  onClose: () => void;
}

/** Name, role and teams of one user, and below what else can be done with them. */
export function EditUser({ user, onChanged, onRemoved, onClose }: EditUserProps) {
  const isOwn = user.id === caller.value.id;
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState(user.role);
  const [teams, setTeams] = useState<ReadonlySet<string>>(new Set(user.teams.map(({ id }) => id)));
  const [problems, setProblems] = useState<UserProblems>({});
  const submit = async () => {
    setProblems({});
    // Only what was changed here: what somebody else changed meanwhile stays.
    const body = {
      ...(name.trim() === user.name ? {} : { name: name.trim() }),
      ...(role === user.role ? {} : { role }),
      ...(hasTeams(user, teams) ? {} : { teamIds: [...teams] }),
    };
    try {
      onChanged(await call('changeUser', { params: { id: user.id }, body }));
      toast(texts.users.saved(name.trim()));
      onClose();
    } catch (error) {
      const known = problemsOf(error);
      if (known === undefined) throw error;
      setProblems(known);
    }
  };
  return (
    <Dialog open title={texts.users.editTitle(user.name)} onClose={onClose}>
      <p class="soft">{user.email}</p>
      <Form submitLabel={texts.common.save} onSubmit={submit}>
        <Field
          label={texts.users.name}
          required
          maxLength={200}
          autoComplete="off"
          value={name}
          error={problems.name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <RoleField value={role} isOwn={isOwn} onChange={setRole} />
        <TeamsField chosen={teams} onChange={setTeams} />
      </Form>
      {!isOwn && <UserActions user={user} onChanged={onChanged} onRemoved={onRemoved} />}
    </Dialog>
  );
}

function hasTeams({ teams }: User, chosen: ReadonlySet<string>): boolean {
  return teams.length === chosen.size && teams.every(({ id }) => chosen.has(id));
}
