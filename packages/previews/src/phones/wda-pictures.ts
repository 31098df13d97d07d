import { LARGEST_PICTURE } from '@svc/contract';
import { askWda, type FrameSource } from '@svc/device-lab';
import { PICTURE_MS, sampledPictures } from './sampled-pictures.ts';

/** Minimum time (ms) between the starts of two screenshots. */
const BETWEEN_MS = 500;

/**
 * @returns a source that shows the screen of an Apple phone with screenshots of its WebDriverAgent, which need no
 * session. It is used if the lab knows no MJPEG address of the phone.
 */
export function wdaPictures(wdaUrl: string): FrameSource {
  return sampledPictures(BETWEEN_MS, async (signal) => {
    const limits = { timeoutMs: PICTURE_MS, largest: 2 * LARGEST_PICTURE, signal };
    const value = await askWda(wdaUrl, { method: 'GET', path: '/screenshot', ...limits });
    return Buffer.from(typeof value === 'string' ? value : '', 'base64');
  });
}
