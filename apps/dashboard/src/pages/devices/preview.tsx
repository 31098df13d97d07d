import { useEffect, useRef, useState } from 'preact/hooks';
import { apiAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/index.ts';
import { retryPause } from './retry-pause.ts';

type Shown = 'connecting' | 'shown' | 'lost' | 'none';

interface PreviewProps {
  udid: string;
  name: string;
  /** Where it was pressed, as parts of its width and height. */
  onTap?: (x: number, y: number) => void;
}

/** The screen of a phone as it is now: an MJPEG stream, each time opened with a ticket of its own (specification 5.8). */
export function Preview({ udid, name, onTap }: PreviewProps) {
  const image = useRef<HTMLImageElement>(null);
  const [shown, setShown] = useState<Shown>('connecting');
  const [round, setRound] = useState(0);
  const { preview } = texts.devices;

  useEffect(() => follow(udid, image, setShown), [udid, round]);

  const press = (event: MouseEvent) => {
    const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect();
    onTap?.(part(event.clientX - left, width), part(event.clientY - top, height));
  };
  return (
    <div class="preview" data-state={shown}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same by keyboard is in the form beside it */}
      <img
        ref={image}
        alt={preview.alt(name)}
        hidden={shown !== 'shown'}
        class={onTap === undefined ? undefined : 'preview-taps'}
        draggable={false}
        onClick={press}
      />
      <p role="status">{shown === 'shown' ? '' : preview[shown]}</p>
      {shown === 'none' && <Button onClick={() => setRound(round + 1)}>{preview.retry}</Button>}
    </div>
  );
}

const MOST_TRIES = 5;
const LOOK_MS = 500;

/** Keeps the picture; the answer ends it. */
function follow(
  udid: string,
  image: { readonly current: HTMLImageElement | null },
  tell: (shown: Shown) => void,
): () => void {
  const target = image.current;
  if (target === null) return () => {};
  let failures = 0;
  let isOver = false;
  let isShown = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = async () => {
    try {
      const { ticket } = await call('issueStreamTicket', { params: { udid } });
      if (isOver) return;
      const path = `/control/${encodeURIComponent(udid)}/stream?${new URLSearchParams({ ticket })}`;
      target.src = apiAddress(path);
    } catch (error) {
      if (isOver) return;
      if (error instanceof ApiError && error.status === 404) tell('none');
      else again();
    }
  };
  const again = () => {
    failures += 1;
    tell(failures > MOST_TRIES ? 'none' : 'lost');
    if (failures <= MOST_TRIES) timer = setTimeout(() => void open(), retryPause(failures));
  };
  const load = () => {
    failures = 0;
    tell('shown');
    isShown = true;
  };
  // A stream that is cut makes no event: the picture only loses its size.
  const look = setInterval(() => {
    if (!isShown || target.naturalWidth > 0) return;
    isShown = false;
    again();
  }, LOOK_MS);
  target.addEventListener('load', load);
  target.addEventListener('error', again);
  tell('connecting');
  void open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    clearInterval(look);
    target.removeEventListener('load', load);
    target.removeEventListener('error', again);
    // The stream goes on for as long as anything names it.
    target.removeAttribute('src');
  };
}

function part(offset: number, size: number): number {
  return size === 0 ? 0 : Math.min(1, Math.max(0, offset / size));
}
