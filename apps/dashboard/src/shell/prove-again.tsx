import { render } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { caller } from '../api/current-caller.ts';
import { texts } from '../texts/en.ts';
import { Button, Dialog, Form, PasswordField } from '../ui/index.ts';

const { proveAgain: words } = texts;

/**
 * Opens a dialog in which the user proves who they are (contract 10). It opens above every other dialog of the page.
 *
 * @returns whether the user proved it
 */
export function proveAgain(): Promise<boolean> {
  const place = document.createElement('div');
  document.body.append(place);
  return new Promise((resolve) => {
    const end = (isProved: boolean) => {
      render(null, place);
      place.remove();
      resolve(isProved);
    };
    render(<ProveAgain onEnd={end} />, place);
  });
}

function ProveAgain({ onEnd }: { onEnd: (isProved: boolean) => void }) {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const prove = async () => {
    setProblem(undefined);
    try {
      await call('reauthenticate', { body: { password } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'incorrect current password') throw error;
      setProblem(words.wrong);
      return;
    }
    onEnd(true);
  };
  return (
    <Dialog open title={words.title} onClose={() => onEnd(false)}>
      <p>{words.lead}</p>
      <Form
        submitLabel={words.submit}
        onSubmit={prove}
        actions={<Button onClick={() => onEnd(false)}>{texts.common.cancel}</Button>}
      >
        <input type="text" name="email" autocomplete="username" value={caller.value.email} hidden readOnly />
        <PasswordField
          label={words.password}
          name="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
          error={problem}
        />
      </Form>
    </Dialog>
  );
}
