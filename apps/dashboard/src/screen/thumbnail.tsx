import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { followThumbnail } from './thumbnails.ts';

/** Shows a recent picture of a phone's screen, and nothing while there is none. */
export function Thumbnail({ udid, name }: { udid: string; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(
    () => (canvas.current === null ? undefined : followThumbnail(udid, canvas.current, setShown)),
    [udid],
  );
  return (
    <div class="thumbnail">
      <canvas ref={canvas} role="img" aria-label={texts.devices.preview.thumbnail(name)} hidden={!isShown} />
    </div>
  );
}
