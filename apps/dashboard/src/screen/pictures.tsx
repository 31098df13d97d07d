import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import type { Touch } from './touch.ts';

/** Milliseconds between two screenshots while the user sends no input to the phone. */
const PAUSE_MS = 5_000;

/**
 * Shows the screen of a phone for which no live preview exists. The driver takes a screenshot after each input and
 * every 5 seconds.
 */
export function Pictures({ take, alt, inputs }: NonNullable<Touch['pictures']>) {
  const [address, setAddress] = useState<string>();
  const [hasFailed, setFailed] = useState(false);
  const { preview } = texts.devices;
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = async () => {
      if (!document.hidden) {
        const picture = await take().catch(() => undefined);
        if (isOver) return;
        setFailed(picture === undefined);
        if (picture !== undefined) setAddress(URL.createObjectURL(pictureOf(picture)));
      }
      timer = setTimeout(() => void next(), PAUSE_MS);
    };
    void next();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [inputs]);
  useEffect(() => (address === undefined ? undefined : () => URL.revokeObjectURL(address)), [address]);
  return (
    <>
      <img
        class="preview-screen preview-taps"
        hidden={address === undefined}
        src={address}
        alt={alt}
        draggable={false}
      />
      <p role="status">{hasFailed ? preview.notTaken : address === undefined ? preview.taking : ''}</p>
    </>
  );
}

/**
 * @returns the picture in the response to the command `GET screenshot`; the response is base64 text of a PNG or JPEG
 * file
 */
export function pictureOf(base64: string): Blob {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: bytes[0] === 0xff ? 'image/jpeg' : 'image/png' });
}
