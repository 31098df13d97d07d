import { useEffect, useState } from 'preact/hooks';
import { pageAddress, pageToReturnTo } from '../../api/addresses.ts';
import { showBrand } from '../../api/brand.ts';
import { type Answer, call } from '../../api/client.ts';
import { errorText } from '../../api/error-text.ts';
import { useResource } from '../../api/use-resource.ts';
import { hasVisited, noteVisit, takeEnd } from '../../api/visited.ts';
import { texts } from '../../texts/en.ts';
import { LinkButton, Problem } from '../../ui/index.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { PasswordPart, ProviderProblem, ProviderSignIn } from './provider-sign-in.tsx';
import { SignInForm } from './sign-in-form.tsx';

const signIn = texts.signIn;

/** @returns the page to open after the sign-in: the one that was open when the last sign-in ended, or the devices */
function target(): string {
  const asked = new URLSearchParams(location.search).get('from');
  return pageToReturnTo(asked) ?? pageAddress('devices');
}

export function Page() {
  const options = useResource((signal) => call('authOptions', { signal }));
  useEffect(() => {
    if (options.value !== undefined) showBrand(options.value);
  }, [options.value]);
  const [hasEnded] = useState(takeEnd);
  useEffect(leaveIfSignedIn, []);
  const enter = () => {
    noteVisit();
    location.replace(target());
  };
  return (
    <>
      <h1>{signIn.title}</h1>
      {hasEnded && options.value?.authDisabled !== true && (
        <p class="notice notice-warn" role="status">
          {signIn.ended}
        </p>
      )}
      {options.state === 'error' && <Problem text={errorText(options.error)} />}
      <ProviderProblem />
      {options.value !== undefined && <ProviderSignIn {...options.value} page={target()} />}
      {options.value?.authDisabled ? (
        <SignInIsOff />
      ) : (
        <PasswordPart isAside={options.value?.passwordSignIn === false}>
          <SignInForm onSignedIn={enter} />
        </PasswordPart>
      )}
      {options.value !== undefined && !options.value.authDisabled && (
        <PasskeySignIn {...options.value} onSignedIn={enter} />
      )}
      {options.value !== undefined && !options.value.authDisabled && <Forgot {...options.value} />}
    </>
  );
}

/** Opens the next page immediately if the user is already signed in. */
function leaveIfSignedIn(): void {
  if (!hasVisited()) return;
  call('me').then(
    ({ authDisabled }) => !authDisabled && location.replace(target()),
    () => {},
  );
}

function SignInIsOff() {
  return (
    <>
      <p class="notice notice-warn">{signIn.off}</p>
      <LinkButton kind="primary" href={target()}>
        {signIn.goOn}
      </LinkButton>
    </>
  );
}

function Forgot({ passwordReset }: Pick<Answer<'authOptions'>, 'passwordReset'>) {
  return (
    <p class="aside">
      {passwordReset === 'email' ? (
        <a href={pageAddress('forgot-password')}>{signIn.forgot}</a>
      ) : (
        signIn.askAdmin
      )}
    </p>
  );
}
