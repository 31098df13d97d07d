import { texts } from '../texts/en.ts';
import { PasswordField } from '../ui/index.ts';

export interface NewPassword {
  readonly password: string;
  readonly repeated: string;
}

/**
 * Checks that both entries of the new password are equal, and throws a sentence for the user otherwise. The server
 * checks the other rules.
 * @returns the password
 */
export function usableNewPassword({ password, repeated }: NewPassword): string {
  if (password !== repeated) throw texts.password.notTheSame;
  return password;
}

interface NewPasswordFieldsProps {
  value: NewPassword;
  onChange: (value: NewPassword) => void;
  rule?: string;
}

export function NewPasswordFields({ value, onChange, rule = texts.password.rule }: NewPasswordFieldsProps) {
  return (
    <>
      <PasswordField
        label={texts.password.next}
        name="newPassword"
        autocomplete="new-password"
        required
        hint={rule}
        value={value.password}
        onInput={(event) => onChange({ ...value, password: event.currentTarget.value })}
      />
      <PasswordField
        label={texts.password.repeat}
        name="repeated"
        autocomplete="new-password"
        required
        value={value.repeated}
        onInput={(event) => onChange({ ...value, repeated: event.currentTarget.value })}
      />
    </>
  );
}
