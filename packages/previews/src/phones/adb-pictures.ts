import { LARGEST_PICTURE } from '@svc/contract';
import { type AdbAddress, type FrameSource, runOnPhone } from '@svc/device-lab';
import { PICTURE_MS, sampledPictures } from './sampled-pictures.ts';

const TAKE_PICTURE = 'screencap -p 2>/dev/null';

/**
 * Returns a source that shows the screen of a phone as PNG pictures. Each picture is one call of Android's `screencap`.
 * @param betweenMs minimum time between the starts of two calls
 */
export function adbPictures(address: AdbAddress, serial: string, betweenMs: number): FrameSource {
  return sampledPictures(betweenMs, async (signal) => {
    let png: Buffer = Buffer.alloc(0);
    let close: () => void = () => undefined;
    const run = new Promise<void>((done, failed) => {
      close = runOnPhone(address, serial, `exec:${TAKE_PICTURE}`, {
        read: async (connection) => {
          png = await connection.rest(LARGEST_PICTURE + 1, PICTURE_MS);
        },
        ended: (reason) => (reason === 'closed' ? done() : failed(new Error(reason))),
      });
    });
    signal.addEventListener('abort', close);
    await run.finally(() => signal.removeEventListener('abort', close));
    if (!png.subarray(-8, -4).equals(LAST_CHUNK)) throw new Error('no picture');
    return png;
  });
}

/**
 * Type of the last chunk of a PNG file. Only a checksum of 4 bytes follows this type. If the type is not at this
 * position, the picture is incomplete.
 */
const LAST_CHUNK = Buffer.from('IEND');
