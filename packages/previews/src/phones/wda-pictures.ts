import { LARGEST_PICTURE, pictureType } from '@svc/contract';
import type { FrameSource } from '@svc/device-lab';
import { askWda } from '@svc/device-lab';

/** Minimum time (ms) between the starts of two screenshots. The pause is at least as long as a screenshot took. */
const BETWEEN_MS = 500;
const PICTURE_MS = 10_000;

/**
 * @returns a source that shows the screen of an Apple phone with screenshots of its WebDriverAgent, which need no
 * session. It is used if the lab knows no MJPEG address of the phone.
 */
export function wdaPictures(wdaUrl: string): FrameSource {
  return {
    isSampled: true,
    open: ({ frame, ended }) => {
      const closing = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      const take = async () => {
        const startedAt = performance.now();
        const value = await askWda(wdaUrl, {
          ...{ method: 'GET', path: '/screenshot', timeoutMs: PICTURE_MS, signal: closing.signal },
          largest: 2 * LARGEST_PICTURE,
        });
        if (closing.signal.aborted) return;
        const picture = Buffer.from(typeof value === 'string' ? value : '', 'base64');
        if (pictureType(picture) === undefined || picture.length > LARGEST_PICTURE)
          throw new Error('no picture');
        frame(picture);
        const spent = performance.now() - startedAt;
        timer = setTimeout(next, Math.max(spent, BETWEEN_MS - spent)).unref();
      };
      const next = () =>
        void take().catch((error: Error) => {
          if (!closing.signal.aborted) ended(error.message);
        });
      next();
      return () => {
        closing.abort();
        clearTimeout(timer);
      };
    },
  };
}
