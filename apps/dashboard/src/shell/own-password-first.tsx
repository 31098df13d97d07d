import { caller } from '../api/current-caller.ts';
import { texts } from '../texts/en.ts';
import { Button, Toasts } from '../ui/index.ts';
import { ChangePasswordForm } from './change-password-form.tsx';
import { signOut } from './sign-out.ts';
import { SingleTask } from './single-task.tsx';

/** Form that replaces every page as long as the account has a password that another person chose. */
export function OwnPasswordFirst() {
  return (
    <SingleTask>
      <h1>{texts.password.ownFirstTitle}</h1>
      <p class="notice">{texts.password.ownFirst}</p>
      <ChangePasswordForm
        email={caller.value.email}
        oldLabel={texts.password.temporary}
        onChanged={() => location.reload()}
        actions={<Button onClick={signOut}>{texts.account.signOut}</Button>}
      />
      <Toasts />
    </SingleTask>
  );
}
