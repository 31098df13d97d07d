import { useEffect, useRef, useState } from 'preact/hooks';
import { apiAddress, pageAddress } from '../../api/addresses.ts';
import { showPictures } from '../../screen/show-screen.ts';
import { SingleTask } from '../../shell/single-task.tsx';
import { texts } from '../../texts/en.ts';
import { Button, LinkButton, TimeText } from '../../ui/index.ts';

interface Opened {
  readonly ticket: string;
  readonly name: string;
  readonly expiresAt: string;
}
type State = Opened | 'opening' | 'unknown' | 'signed out' | 'ended';

// Removed from the address, so that the secret is in no history and on no screen that is shared.
const secret = location.hash.slice(1);
history.replaceState(null, '', location.pathname);

/** Shows the screen of the phone that a link shows. The page gives no control over it. */
export function Page() {
  const [state, setState] = useState<State>('opening');
  const watch = () => {
    setState('opening');
    open(secret).then(setState, () => setState('ended'));
  };
  useEffect(watch, []);
  const words = texts.watch;
  if (typeof state === 'object') {
    const stream = `${apiAddress('/watch/stream')}?ticket=${encodeURIComponent(state.ticket)}`;
    return (
      <SingleTask>
        <h1>{state.name}</h1>
        <p>
          {words.until} <TimeText at={state.expiresAt} />
        </p>
        <Pictures address={stream} alt={words.screen(state.name)} onEnd={() => setState('ended')} />
      </SingleTask>
    );
  }
  return (
    <SingleTask>
      <h1>{texts.pages.watch}</h1>
      {state === 'opening' && <p role="status">{words.opening}</p>}
      {state === 'unknown' && <p>{words.unknown}</p>}
      {state === 'ended' && (
        <>
          <p>{words.ended}</p>
          <Button onClick={watch}>{words.again}</Button>
        </>
      )}
      {state === 'signed out' && (
        <>
          <p>{words.signedOut}</p>
          <LinkButton href={pageAddress('sign-in')}>{words.signIn}</LinkButton>
        </>
      )}
    </SingleTask>
  );
}

/** Shows an MJPEG stream, and notices its end. */
function Pictures({ address, alt, onEnd }: { address: string; alt: string; onEnd(): void }) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    if (image.current === null) return;
    return showPictures(image.current, address, { shown: () => undefined, lost: onEnd });
  }, [address]);
  return <img ref={image} alt={alt} />;
}

/** Opens the link without a credential first, because a link for anybody needs none, and then with the sign-in. */
async function open(secret: string): Promise<State> {
  const anyone = await post('/watch/anyone', secret);
  if (anyone.ok) return (await anyone.json()) as Opened;
  const account = await post('/watch/account', secret);
  if (account.ok) return (await account.json()) as Opened;
  return account.status === 401 ? 'signed out' : 'unknown';
}

function post(path: string, secret: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(apiAddress(path), { method: 'POST', headers, body: JSON.stringify({ secret }) });
}
