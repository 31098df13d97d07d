import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { canUsePasskeys, hasUsedPasskey, localhostAddress, notePasskey } from '../../api/passkeys.ts';
import { publicAddress } from '../../api/public-address.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, Problem } from '../../ui/index.ts';

const words = texts.passkeys;
const ceremonies = () => import('../../shell/passkey-ceremonies.ts');

/**
 * Offers sign-in with a passkey: always with a button, and also in the e-mail field if this browser has used a passkey
 * of this lab before. On a page at an IP address, shows a link to the address at which passkeys work.
 */
export function PasskeySignIn({ passkeys, onSignedIn }: { passkeys: boolean; onSignedIn: () => void }) {
  const address = localhostAddress(location);
  if (address !== undefined) return <Elsewhere address={address} />;
  if (!passkeys) return null;
  return canUsePasskeys() ? <Offer onSignedIn={onSignedIn} /> : <AtPublicAddress />;
}

/**
 * Shows the link to the sign-in page at the public address of the lab. Shows nothing if the lab has no public address.
 */
function AtPublicAddress() {
  const { value } = useResource(publicAddress);
  return value === undefined ? null : <Elsewhere address={`${value}/svc/sign-in`} />;
}

function Elsewhere({ address }: { address: string }) {
  return (
    <p class="aside">
      {words.openAt} <a href={address}>{new URL(address).host}</a>
    </p>
  );
}

function Offer({ onSignedIn }: { onSignedIn: () => void }) {
  const [autofillProblem, setAutofillProblem] = useState<string>();
  const signIn = async (autofill: boolean) => {
    const { askForPasskey } = await ceremonies();
    const response = await askForPasskey({ autofill });
    await signInWith(response);
    onSignedIn();
  };
  useEffect(() => {
    if (!hasUsedPasskey()) return;
    void ceremonies().then(async ({ canAutofill }) => {
      // Show only refusals by the server. Other errors are normal here, for example if the user ignores the passkeys
      // that the e-mail field offers.
      if (await canAutofill())
        signIn(true).catch((error) => error === words.refused && setAutofillProblem(error));
    });
    return () => void ceremonies().then(({ stopAutofill }) => stopAutofill());
  }, []);
  const { isBusy, problem, run } = useAction(() => signIn(false));
  return (
    <div class="aside">
      <Problem text={problem ?? autofillProblem} />
      <Button busy={isBusy} onClick={run}>
        {words.signIn}
      </Button>
    </div>
  );
}

async function signInWith(response: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    await call('loginWithPasskey', { body: { response } });
  } catch (error) {
    throw error instanceof ApiError && error.status === 401 ? words.refused : error;
  }
  notePasskey();
}
