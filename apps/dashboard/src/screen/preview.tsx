import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { Button } from '../ui/index.ts';
import { followScreen, type ScreenKind, type ScreenState } from './follow-screen.ts';
import { Pictures } from './pictures.tsx';
import type { Touch } from './touch.ts';
import { Touchable } from './touchable.tsx';

interface PreviewProps {
  udid: string;
  name: string;
  /** What the user may do with the screen. Absent if the user may only watch. */
  touch?: Touch | undefined;
}

interface Shown {
  readonly state: ScreenState;
  readonly kind: ScreenKind;
}

/** Shows the current screen of a phone. */
export function Preview({ udid, name, touch }: PreviewProps) {
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

  // If there is no stream that the browser can show, show screenshots, which the driver of the phone's session takes.
  const pictures = state === 'none' || state === 'unplayable' ? touch?.pictures : undefined;
  const screen = (of: ScreenKind) => ({
    class: touch === undefined ? 'preview-screen' : 'preview-screen preview-taps',
    hidden: state !== 'shown' || kind !== of,
  });
  return (
    <div class="preview" data-state={state} data-kind={kind}>
      <Touchable touch={touch} isShown={state === 'shown' || pictures !== undefined}>
        <img ref={image} alt={preview.alt(name)} draggable={false} {...screen('mjpeg')} />
        <canvas ref={canvas} role="img" aria-label={preview.alt(name)} {...screen('h264')} />
        {pictures !== undefined && <Pictures {...pictures} />}
      </Touchable>
      <p role="status">{state === 'shown' || pictures !== undefined ? '' : preview[state]}</p>
      {state === 'none' && pictures === undefined && (
        <Button onClick={() => setRound(round + 1)}>{preview.retry}</Button>
      )}
    </div>
  );
}
