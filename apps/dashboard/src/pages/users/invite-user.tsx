import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { type Answer, call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button, CopyText, Dialog, Field, Form, SecretOnce } from '../../ui/index.ts';
import { RoleField, TeamsField, type UserRole } from './user-fields.tsx';
import { problemsOf, type UserProblems } from './user-problems.ts';

interface InviteUserProps {
  open: boolean;
  onInvited: () => void;
  onClose: () => void;
}

/** A form, and then the temporary password, once (specification 5.9.1). */
export function InviteUser({ open, onInvited, onClose }: InviteUserProps) {
  const [made, setMade] = useState<Answer<'createUser'>>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      title={made === undefined ? texts.users.inviteTitle : texts.users.invited(made.email)}
      stays={made !== undefined}
      onClose={close}
    >
      {made === undefined ? (
        <InviteForm
          onMade={(user) => {
            setMade(user);
            onInvited();
          }}
        />
      ) : (
        <HandOver user={made} onClose={close} />
      )}
    </Dialog>
  );
}

function InviteForm({ onMade }: { onMade: (user: Answer<'createUser'>) => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<UserRole>('Member');
  const [teams, setTeams] = useState<ReadonlySet<string>>(new Set());
  const [problems, setProblems] = useState<UserProblems>({});
  const submit = async () => {
    setProblems({});
    try {
      onMade(
        await call('createUser', {
          body: { email: email.trim(), name: name.trim(), role, teamIds: [...teams] },
        }),
      );
    } catch (error) {
      const known = problemsOf(error);
      if (known === undefined) throw error;
      setProblems(known);
    }
  };
  return (
    <Form submitLabel={texts.users.makeUser} onSubmit={submit}>
      <p>{texts.users.inviteText}</p>
      <Field
        label={texts.users.email}
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        value={email}
        error={problems.email}
        onInput={(event) => setEmail(event.currentTarget.value)}
      />
      <Field
        label={texts.users.name}
        required
        maxLength={200}
        autoComplete="off"
        value={name}
        error={problems.name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <RoleField value={role} onChange={setRole} />
      <TeamsField chosen={teams} onChange={setTeams} />
    </Form>
  );
}

function HandOver({ user, onClose }: { user: Answer<'createUser'>; onClose: () => void }) {
  return (
    <>
      <SecretOnce label={texts.users.temporaryPassword} value={user.temporaryPassword ?? ''} />
      <p>{texts.users.temporaryText}</p>
      <CopyText label={texts.users.signInAddress} value={pageAddress('sign-in')} />
      <div class="form-actions">
        <Button kind="primary" onClick={onClose}>
          {texts.common.done}
        </Button>
      </div>
    </>
  );
}
