import type { AdbAddress, AdbConnection } from '@svc/device-lab';
import { runOnPhone } from '@svc/device-lab';
import { H264Pictures, type VideoPicture } from '../formats/h264-pictures.ts';
import type { PictureSource } from '../relays/shared-video.ts';

/**
 * Shell command that records the screen to standard output until Android's time limit of 180 s. It contains two helpers
 * that end it earlier. `cat` ends the command when the connection closes, which `screenrecord` would not notice while
 * the screen does not change. The loop ends the command when the screen is rotated, because `screenrecord` would keep
 * the old size. `kill 0` ends only the processes of this command, because adbd runs each command in its own session.
 */
const RECORD_SCREEN = [
  'screenrecord --output-format=h264 --bit-rate 4000000 - 2>/dev/null & p=$!',
  'exec 3<&0 2>/dev/null',
  '(cat <&3 >/dev/null; kill 0) & size() { dumpsys window displays 2>/dev/null | grep -m 1 -o "cur=[0-9x]*"; }',
  '(a=$(size); while sleep 2; do b=$(size); [ -z "$b" ] || [ "$a" = "$b" ] || kill 0; done) & wait $p',
  'kill 0',
].join('; ');

/** @returns a source that records the screen of a phone as H.264 with Android's `screenrecord` */
export function adbVideo(address: AdbAddress, serial: string, pauseMs: number): PictureSource {
  return {
    open: ({ picture, ended }) => {
      const read = (connection: AdbConnection, isClosed: () => boolean) =>
        readPictures(connection, pauseMs, (each) => {
          if (!isClosed()) picture(each);
        });
      return runOnPhone(address, serial, `exec:${RECORD_SCREEN}`, { read, ended });
    },
  };
}

/** Reads pictures from the output of `screenrecord`. Rejects with `NotH264` if the output is anything else. */
async function readPictures(
  connection: AdbConnection,
  pauseMs: number,
  report: (picture: VideoPicture) => void,
): Promise<void> {
  const pictures = new H264Pictures(report);
  let pause: NodeJS.Timeout | undefined;
  try {
    for await (const chunk of connection.chunks()) {
      clearTimeout(pause);
      pictures.push(chunk);
      pause = setTimeout(() => flush(pictures, connection), pauseMs).unref();
    }
  } finally {
    clearTimeout(pause);
  }
}

/**
 * Called in a pause of the stream. Reports the last picture, or ends the connection if the bytes that have arrived are
 * not a picture.
 */
function flush(pictures: H264Pictures, connection: AdbConnection): void {
  try {
    pictures.flush();
  } catch {
    connection.close();
  }
}
