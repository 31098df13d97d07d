import { pageAddress } from '../../api/addresses.ts';
import { type Answer, call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { CopyText, Field, Form, MakeDialog, SecretOnce, useFields } from '../../ui/index.ts';
import { RoleField, TeamsField, type UserRole } from './user-fields.tsx';
import { problemsOf } from './user-problems.ts';

type Invited = Answer<'createUser'>;

/** Shows the form for a new user, and then the temporary password, which is shown only once (specification 5.9.1). */
export function InviteUser({ onInvited }: { onInvited: () => void }) {
  return (
    <MakeDialog<Invited>
      label={texts.users.invite}
      title={texts.users.inviteTitle}
      madeTitle={({ email }) => texts.users.invited(email)}
      form={({ made }) => <InviteForm onMade={made} />}
      onMade={onInvited}
    >
      {({ temporaryPassword = '' }) => (
        <>
          <SecretOnce label={texts.users.temporaryPassword} value={temporaryPassword} />
          <p>{texts.users.temporaryText}</p>
          <CopyText label={texts.users.signInAddress} value={pageAddress('sign-in')} />
        </>
      )}
    </MakeDialog>
  );
}

interface UserFields {
  email: string;
  name: string;
  role: UserRole;
  teams: ReadonlySet<string>;
}

const FIRST: UserFields = { email: '', name: '', role: 'Member', teams: new Set() };

function InviteForm({ onMade }: { onMade: (user: Invited) => void }) {
  const { values, text, set, submit } = useFields(FIRST, problemsOf);
  const invite = submit(async ({ email, name, role, teams }) => {
    const body = { email: email.trim(), name: name.trim(), role, teamIds: [...teams] };
    onMade(await call('createUser', { body }));
  });
  return (
    <Form submitLabel={texts.users.makeUser} onSubmit={invite}>
      <p>{texts.users.inviteText}</p>
      <Field
        label={texts.users.email}
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        {...text('email')}
      />
      <Field label={texts.users.name} required maxLength={200} autoComplete="off" {...text('name')} />
      <RoleField value={values.role} onChange={set('role')} />
      <TeamsField chosen={values.teams} onChange={set('teams')} />
    </Form>
  );
}
