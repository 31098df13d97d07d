import type { FrameSource } from '@svc/device-lab';
import type { WebSocket } from 'ws';
import type { LineViewer } from '../relays/line-relay.ts';

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Maximum number of bytes that wait to be sent to one viewer of a log. While there are more, lines are dropped. */
const MOST_WAITING_LINES = 256 * 1024;
/**
 * Maximum number of bytes that wait to be sent to one viewer of a video. If there are more, the viewer is disconnected
 * and can reconnect. Frames are not dropped, because the frames after a dropped one could not be decoded.
 */
const MOST_WAITING_VIDEO = 4 * 1024 * 1024;

/**
 * Returns a viewer that sends log lines to one WebSocket. A slow client misses lines and receives the number of missed
 * lines.
 */
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

/** Sends the video of a source to one viewer. When the source or the viewer ends, the other is closed, too. */
export function relayVideo(source: FrameSource, socket: WebSocket): void {
  const close = source.open({
    frame: (bytes) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount <= MOST_WAITING_VIDEO) {
        socket.send(bytes, { binary: true });
        return;
      }
      socket.close(TRY_AGAIN_LATER);
      // Do not wait for the event `close`. A viewer that does not read never receives the close frame, so the event
      // comes late.
      close();
    },
    ended: () => socket.close(GOING_AWAY),
  });
  socket.once('close', close);
}
