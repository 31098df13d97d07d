import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { Dialog, Field, Form, toast, useFields } from '../../ui/index.ts';
import { LimitsForm } from '../../ui/limits-form.tsx';
import { ConfirmEmail } from './confirm-email.tsx';
import type { User } from './user.ts';
import { UserActions } from './user-actions.tsx';
import { RoleField, TeamsField } from './user-fields.tsx';
import { UserPasskeys } from './user-passkeys.tsx';
import { problemsOf } from './user-problems.ts';
import { UserProvider } from './user-provider.tsx';

interface EditUserProps {
  user: User;
  onChanged: (user: User) => void;
  onRemoved: (user: User) => void;
  onClose: () => void;
}

/** Form for the name, role and teams of a user, with further actions below. */
export function EditUser({ user, onChanged, onRemoved, onClose }: EditUserProps) {
  const isOwn = user.id === caller.value.id;
  const { values, text, set, submit } = useFields(
    {
      name: user.name,
      role: user.role,
      teams: new Set(user.teams.map(({ id }) => id)) as ReadonlySet<string>,
    },
    problemsOf,
  );
  const save = submit(async ({ name, role, teams }) => {
    // The request contains only the fields that were changed in this form, so that it does not undo concurrent changes
    // by others.
    const body = {
      ...(name.trim() === user.name ? {} : { name: name.trim() }),
      ...(role === user.role ? {} : { role }),
      ...(hasTeams(user, teams) ? {} : { teamIds: [...teams] }),
    };
    onChanged(await call('changeUser', { params: { id: user.id }, body }));
    toast(texts.users.saved(name.trim()));
    onClose();
  });
  return (
    <Dialog open title={texts.users.editTitle(user.name)} onClose={onClose}>
      <p class="soft">{user.email}</p>
      {user.emailUnconfirmed && <ConfirmEmail user={user} mayConfirm={!isOwn} onChanged={onChanged} />}
      <UserProvider user={user} mayUnlink={!isOwn} />
      <Form submitLabel={texts.common.save} onSubmit={save}>
        <Field label={texts.users.name} required maxLength={200} autoComplete="off" {...text('name')} />
        <RoleField value={values.role} isOwn={isOwn} onChange={set('role')} />
        <TeamsField chosen={values.teams} onChange={set('teams')} />
      </Form>
      <section class="dialog-section">
        <h3>{texts.shares.title}</h3>
        <LimitsForm kind="account" id={user.id} />
      </section>
      {!isOwn && <UserPasskeys user={user} />}
      {!isOwn && <UserActions user={user} onChanged={onChanged} onRemoved={onRemoved} />}
    </Dialog>
  );
}

function hasTeams({ teams }: User, chosen: ReadonlySet<string>): boolean {
  return teams.length === chosen.size && teams.every(({ id }) => chosen.has(id));
}
