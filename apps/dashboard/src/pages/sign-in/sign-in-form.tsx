import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Field, Form, PasswordField } from '../../ui/index.ts';
import { useCountdown } from './use-countdown.ts';

const signIn = texts.signIn;

export function SignInForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [wait, startWait] = useCountdown();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector('input')?.focus(), []);

  const submit = async () => {
    try {
      await call('login', { body: { email, password } });
      onSignedIn();
    } catch (error) {
      if (error instanceof ApiError && error.status === 429 && error.retryAfter !== undefined) {
        startWait(error.retryAfter);
        return;
      }
      place.current?.querySelector<HTMLInputElement>('[name=password]')?.select();
      throw error;
    }
  };
  return (
    <div ref={place}>
      {wait !== undefined && (
        <p class="notice notice-bad" role="timer">
          {wait > 0 ? signIn.locked(wait) : signIn.unlocked}
        </p>
      )}
      <Form submitLabel={signIn.submit} disabled={wait !== undefined && wait > 0} onSubmit={submit}>
        <Field
          label={signIn.email}
          name="email"
          type="email"
          autocomplete="username webauthn"
          autocapitalize="none"
          spellcheck={false}
          required
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordField
          label={signIn.password}
          name="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </Form>
    </div>
  );
}
