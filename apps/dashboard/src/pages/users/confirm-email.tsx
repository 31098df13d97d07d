import { call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, Problem, toast } from '../../ui/index.ts';
import type { User } from './user.ts';

interface ConfirmEmailProps {
  user: User;
  /** False for the user's own account, which another Admin has to confirm. */
  mayConfirm: boolean;
  onChanged: (user: User) => void;
}

/** Says that no one has confirmed the e-mail address of the user, and lets an Admin confirm it (contract 10.1). */
export function ConfirmEmail({ user, mayConfirm, onChanged }: ConfirmEmailProps) {
  const { id, email } = user;
  const action = useAction(async () => {
    onChanged(await call('changeUser', { params: { id }, body: { emailConfirmed: true } }));
    toast(texts.users.emailConfirmed(email));
  });
  return (
    <div class="notice notice-warn">
      <p>{texts.users.unconfirmedText}</p>
      {mayConfirm && (
        <Button busy={action.isBusy} onClick={action.run}>
          {texts.users.confirmEmail}
        </Button>
      )}
      <Problem text={action.problem} />
    </div>
  );
}
