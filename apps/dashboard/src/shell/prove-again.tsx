import { render } from 'preact';
import { useState } from 'preact/hooks';
import { apiAddress, SITE } from '../api/addresses.ts';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { caller } from '../api/current-caller.ts';
import { canUsePasskeys, hasUsedPasskey } from '../api/passkeys.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { Button, Dialog, Form, LinkButton, PasswordField, Problem } from '../ui/index.ts';

const words = texts.proveAgain;

/**
 * Opens a dialog in which the user proves who they are (contract 10). The dialog opens above every other dialog of the
 * page.
 *
 * @returns whether the user gave a valid proof
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
  const options = useResource((signal) => call('authOptions', { signal }));
  const provider = options.value?.oidc ?? null;
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const prove = async () => {
    setProblem(undefined);
    try {
      await call('reauthenticate', { body: { password } });
    } catch (error) {
      if (!isWrong(error)) throw error;
      setProblem(words.wrong);
      return;
    }
    onEnd(true);
  };
  const {
    isBusy,
    problem: passkeyProblem,
    run: usePasskey,
  } = useAction(async () => {
    const { askForPasskey } = await import('./passkey-ceremonies.ts');
    const response = await askForPasskey();
    try {
      await call('reauthenticate', { body: { response } });
    } catch (error) {
      throw isWrong(error) ? texts.passkeys.refused : error;
    }
    onEnd(true);
  });
  return (
    <Dialog open title={words.title} onClose={() => onEnd(false)}>
      <p>{words.lead}</p>
      <Problem text={passkeyProblem} />
      <Form
        submitLabel={words.submit}
        onSubmit={prove}
        actions={
          <>
            {hasUsedPasskey() && canUsePasskeys() && (
              <Button busy={isBusy} onClick={usePasskey}>
                {texts.passkeys.prove}
              </Button>
            )}
            {provider !== null && (
              <LinkButton href={addressOfProvider()}>{words.withProvider(provider.name)}</LinkButton>
            )}
            <Button onClick={() => onEnd(false)}>{texts.common.cancel}</Button>
          </>
        }
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

/** @returns the address at which the provider authenticates the person again, and then returns to this page */
function addressOfProvider(): string {
  const page = `/svc/${location.href.slice(SITE.length)}`;
  return `${apiAddress('/auth/oidc/start')}?${new URLSearchParams({ fresh: '1', return: page })}`;
}

function isWrong(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'incorrect current password';
}
