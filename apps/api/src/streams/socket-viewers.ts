import type { LineViewer, VideoSource } from '@svc/device-lab';
import type { WebSocket } from 'ws';

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Bytes that wait for one reader before lines are left out. */
const MOST_WAITING_LINES = 256 * 1024;
/** Bytes that wait for one viewer before it is told to come back: a frame left out spoils those behind it. */
const MOST_WAITING_VIDEO = 4 * 1024 * 1024;

/** Lines to one reader; a slow one loses lines, and is told how many. */
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

/** A source's video to one viewer. The end of either is the end of both. */
export function relayVideo(source: VideoSource, socket: WebSocket): void {
  const close = source.open({
    frame: (bytes) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount <= MOST_WAITING_VIDEO) {
        socket.send(bytes, { binary: true });
        return;
      }
      socket.close(TRY_AGAIN_LATER);
      // Whoever takes nothing does not take the close either; nothing is read for them meanwhile.
      close();
    },
    ended: () => socket.close(GOING_AWAY),
  });
  socket.once('close', close);
}
