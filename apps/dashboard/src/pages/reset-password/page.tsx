import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { forgetVisit } from '../../api/visited.ts';
import { type NewPassword, NewPasswordFields, usableNewPassword } from '../../shell/new-password-fields.tsx';
import { texts } from '../../texts/en.ts';
import { ErrorState, Form, LinkButton, LoadingState } from '../../ui/index.ts';
import { takeToken } from './reset-token.ts';

const reset = texts.reset;
const token = takeToken();

/**
 * Form for a new password. The user opens it with the link from a mail or from an administrator (specification 5.10).
 */
export function Page() {
  const link = useResource(isUsable);
  const [outcome, setOutcome] = useState<'done' | 'invalid'>();
  if (outcome === 'done') return <Done />;
  if (outcome === 'invalid' || link.value === false) return <Invalid />;
  return (
    <>
      <h1>{reset.title}</h1>
      {link.state === 'loading' && <LoadingState text={reset.checking} />}
      {link.state === 'error' && <ErrorState error={link.error} onRetry={link.reload} />}
      {link.value === true && <NewPasswordForm onOutcome={setOutcome} />}
    </>
  );
}

async function isUsable(signal: AbortSignal): Promise<boolean> {
  if (token === '') return false;
  try {
    await call('checkResetToken', { body: { token }, signal });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

function NewPasswordForm({ onOutcome }: { onOutcome: (outcome: 'done' | 'invalid') => void }) {
  const [next, setNext] = useState<NewPassword>({ password: '', repeated: '' });
  const submit = async () => {
    const newPassword = usableNewPassword(next);
    try {
      await call('resetPassword', { body: { token, newPassword } });
      forgetVisit();
      onOutcome('done');
    } catch (error) {
      if (!isGone(error)) throw error;
      onOutcome('invalid');
    }
  };
  return (
    <Form submitLabel={reset.submit} onSubmit={submit}>
      <NewPasswordFields value={next} onChange={setNext} rule={reset.rule} />
    </Form>
  );
}

function Done() {
  return (
    <>
      <Title>{reset.doneTitle}</Title>
      <p>{reset.done}</p>
      <LinkButton kind="primary" href={pageAddress('sign-in')}>
        {reset.toSignIn}
      </LinkButton>
    </>
  );
}

function Invalid() {
  const options = useResource((signal) => call('authOptions', { signal }));
  const asksAdmin = options.value?.passwordReset === 'admin';
  return (
    <>
      <Title>{reset.invalidTitle}</Title>
      <p>
        {reset.invalid} {asksAdmin && reset.askAdmin}
      </p>
      <p class="aside">
        {!asksAdmin && (
          <>
            <a href={pageAddress('forgot-password')}>{reset.askAgain}</a> ·{' '}
          </>
        )}
        <a href={pageAddress('sign-in')}>{reset.toSignIn}</a>
      </p>
    </>
  );
}

/** Renders the heading and moves the focus to it, so that a screen reader continues there. */
function Title({ children }: { children: ComponentChildren }) {
  return (
    <h1 tabIndex={-1} ref={focus}>
      {children}
    </h1>
  );
}

const focus = (heading: HTMLElement | null) => heading?.focus();
