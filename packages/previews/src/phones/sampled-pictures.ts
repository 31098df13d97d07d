import { LARGEST_PICTURE, pictureType } from '@svc/contract';
import type { FrameSource } from '@svc/device-lab';

/** Maximum time (ms) for one picture. A slow phone takes a few seconds for a large screen. */
export const PICTURE_MS = 10_000;

/**
 * Returns a source that takes one picture after the other. Taking a picture slows down the phone, so the pause after a
 * picture is at least as long as the picture took. The source ends when a picture cannot be taken.
 * @param betweenMs minimum time between the starts of two pictures
 * @param take takes a picture. Rejects with the reason why it cannot be taken.
 */
export function sampledPictures(
  betweenMs: number,
  take: (signal: AbortSignal) => Promise<Buffer>,
): FrameSource {
  return {
    isSampled: true,
    open: ({ frame, ended }) => {
      const closing = new AbortController();
      const { signal } = closing;
      let timer: NodeJS.Timeout | undefined;
      const next = async () => {
        const startedAt = performance.now();
        const picture = await take(signal);
        if (signal.aborted) return;
        if (pictureType(picture) === undefined || picture.length > LARGEST_PICTURE)
          throw new Error('no picture');
        frame(picture);
        const spent = performance.now() - startedAt;
        if (!signal.aborted) timer = setTimeout(run, Math.max(spent, betweenMs - spent)).unref();
      };
      const run = () =>
        void next().catch((error: Error) => {
          if (!signal.aborted) ended(error.message);
        });
      run();
      return () => {
        closing.abort();
        clearTimeout(timer);
      };
    },
  };
}
