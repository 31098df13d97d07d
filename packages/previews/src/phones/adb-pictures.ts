import { LARGEST_PICTURE, pictureType } from '@svc/contract';
import type { AdbAddress, FrameSource } from '@svc/device-lab';
import { runOnPhone } from '@svc/device-lab';

const TAKE_PICTURE = 'screencap -p 2>/dev/null';

/** Maximum time (ms) for one picture. A slow phone takes a few seconds for a large screen. */
const PICTURE_MS = 10_000;

/**
 * Returns a source that shows the screen of a phone as PNG pictures. Each picture is one call of Android's `screencap`,
 * which slows down the phone. The pause after a call is therefore at least as long as the call took.
 * @param betweenMs minimum time between the starts of two calls
 */
export function adbPictures(address: AdbAddress, serial: string, betweenMs: number): FrameSource {
  return {
    isSampled: true,
    open: ({ frame, ended }) => {
      let timer: NodeJS.Timeout | undefined;
      let closeRun: () => void = () => undefined;
      let isClosed = false;
      const take = () => {
        const startedAt = performance.now();
        let png: Buffer = Buffer.alloc(0);
        closeRun = runOnPhone(address, serial, `exec:${TAKE_PICTURE}`, {
          read: async (connection) => {
            png = await connection.rest(LARGEST_PICTURE + 1, PICTURE_MS);
          },
          ended: (reason) => {
            if (!isWhole(png)) return ended(reason === 'closed' ? 'no picture' : reason);
            frame(png);
            const spent = performance.now() - startedAt;
            if (!isClosed) timer = setTimeout(take, Math.max(spent, betweenMs - spent)).unref();
          },
        });
      };
      take();
      return () => {
        isClosed = true;
        clearTimeout(timer);
        closeRun();
      };
    },
  };
}

/**
 * Type of the last chunk of a PNG file. Only a checksum of 4 bytes follows this type. If the type is not at this
 * position, the picture is incomplete.
 */
const LAST_CHUNK = Buffer.from('IEND');

function isWhole(png: Buffer): boolean {
  const isLast = png.subarray(-8, -4).equals(LAST_CHUNK);
  return isLast && png.length <= LARGEST_PICTURE && pictureType(png) === 'image/png';
}
