import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { Button } from '../ui/index.ts';
import { followScreen, type ScreenKind, type ScreenState } from './follow-screen.ts';

interface PreviewProps {
  udid: string;
  name: string;
  /** Called with the position of a click on the screen, as fractions of its width and height. */
  onTap?: (x: number, y: number) => void;
}

interface Shown {
  readonly state: ScreenState;
  readonly kind: ScreenKind;
}

/** Shows the current screen of a phone. */
export function Preview({ udid, name, onTap }: PreviewProps) {
  const image = useRef<HTMLImageElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [{ state, kind }, setShown] = useState<Shown>({ state: 'connecting', kind: 'mjpeg' });
  const [round, setRound] = useState(0);
  const { preview } = texts.devices;

  useEffect(() => {
    if (image.current === null || canvas.current === null) return;
    const places = { image: image.current, canvas: canvas.current };
    return followScreen(udid, places, (state, kind) => setShown({ state, kind }));
  }, [udid, round]);

  const press = (event: MouseEvent) => {
    const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect();
    onTap?.(part(event.clientX - left, width), part(event.clientY - top, height));
  };
  const screen = (of: ScreenKind) => ({
    class: onTap === undefined ? 'preview-screen' : 'preview-screen preview-taps',
    hidden: state !== 'shown' || kind !== of,
    onClick: press,
  });
  return (
    <div class="preview" data-state={state} data-kind={kind}>
      {/* The click needs no key handler, because the form beside the screen offers the same taps to keyboard users. */}
      <img ref={image} alt={preview.alt(name)} draggable={false} {...screen('mjpeg')} />
      <canvas ref={canvas} role="img" aria-label={preview.alt(name)} {...screen('h264')} />
      <p role="status">{state === 'shown' ? '' : preview[state]}</p>
      {state === 'none' && <Button onClick={() => setRound(round + 1)}>{preview.retry}</Button>}
    </div>
  );
}

function part(offset: number, size: number): number {
  return size === 0 ? 0 : Math.min(1, Math.max(0, offset / size));
}
