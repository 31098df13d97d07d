import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { errorText } from '../api/error-text.ts';
import { texts } from '../texts/en.ts';
import { Form, PasswordField } from '../ui/index.ts';
import { type NewPassword, NewPasswordFields, usableNewPassword } from './new-password-fields.tsx';

interface ChangePasswordFormProps {
  /**
   * E-mail address of the account. The form contains it so that password managers store the password for the right
   * account.
   */
  email: string;
  oldLabel?: string;
  actions?: ComponentChildren;
  onChanged: () => void;
}

/**
 * Form in which users change their own password. A change ends all other sign-ins of the account (specification 5.9.6).
 */
export function ChangePasswordForm({ email, oldLabel, actions, onChanged }: ChangePasswordFormProps) {
  const [oldPassword, setOldPassword] = useState('');
  const [next, setNext] = useState<NewPassword>({ password: '', repeated: '' });
  const [oldError, setOldError] = useState<string>();
  const submit = async () => {
    setOldError(undefined);
    const newPassword = usableNewPassword(next);
    try {
      await call('changePassword', { body: { oldPassword, newPassword } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'incorrect current password') throw error;
      setOldError(errorText(error));
      return;
    }
    setOldPassword('');
    setNext({ password: '', repeated: '' });
    onChanged();
  };
  return (
    <Form submitLabel={texts.password.change} actions={actions} onSubmit={submit}>
      <input type="text" name="email" autocomplete="username" value={email} hidden readOnly />
      <PasswordField
        label={oldLabel ?? texts.password.current}
        name="oldPassword"
        autocomplete="current-password"
        required
        value={oldPassword}
        onInput={(event) => setOldPassword(event.currentTarget.value)}
        error={oldError}
      />
      <NewPasswordFields value={next} onChange={setNext} />
    </Form>
  );
}
