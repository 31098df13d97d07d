import type { LineViewer, VideoSource } from '@svc/device-lab';
import type { WebSocket } from 'ws';

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Bytes that may wait for one reader before lines are dropped. */
const MOST_WAITING_LINES = 256 * 1024;
/**
 * Bytes that may wait for one viewer before it is disconnected to reconnect, because a dropped frame would spoil the
 * following ones.
 */
const MOST_WAITING_VIDEO = 4 * 1024 * 1024;

/** Sends lines to one reader. A slow reader loses lines and gets their number. */
export function lineViewer(socket: WebSocket): LineViewer {
  let lost = 0;
  return {
    line: (text) => {
      if (socket.bufferedAmount > MOST_WAITING_LINES) {
        lost += 1;
        return;
      }
      if (lost > 0) socket.send(`(${lost} lines lost)`);
      lost = 0;
      socket.send(text);
    },
    end: () => socket.close(GOING_AWAY),
  };
}

/** Sends the video of a source to one viewer. When one of them ends, the other is ended too. */
export function relayVideo(source: VideoSource, socket: WebSocket): void {
  const close = source.open({
    frame: (bytes) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount <= MOST_WAITING_VIDEO) {
        socket.send(bytes, { binary: true });
        return;
      }
      socket.close(TRY_AGAIN_LATER);
      // A viewer that does not read does not receive the close frame either. Nothing is read for it meanwhile.
      close();
    },
    ended: () => socket.close(GOING_AWAY),
  });
  socket.once('close', close);
}
