import type { LineViewer } from '@svc/device-lab';
import { WebSocket } from 'ws';

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Bytes that wait for one reader before lines are left out. */
const MOST_WAITING_LINES = 256 * 1024;
/** Bytes that wait for one viewer before it is told to come back: a frame left out spoils those behind it. */
const MOST_WAITING_VIDEO = 4 * 1024 * 1024;
const LARGEST_FRAME = 8 * 1024 * 1024;
const CONNECT_MS = 5_000;

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

/** Binary frames of a configured source, as they are. The answer closes both. */
export function relayVideo(address: string, socket: WebSocket): void {
  const url = socketUrl(address);
  if (url === null) {
    socket.close(GOING_AWAY);
    return;
  }
  const source = new WebSocket(url, {
    handshakeTimeout: CONNECT_MS,
    maxPayload: LARGEST_FRAME,
    perMessageDeflate: false,
    followRedirects: false,
  });
  source.on('error', () => undefined);
  source.on('message', (content, isBinary) => {
    if (!isBinary || socket.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount <= MOST_WAITING_VIDEO) {
      socket.send(content as Buffer, { binary: true });
      return;
    }
    socket.close(TRY_AGAIN_LATER);
    // Whoever takes nothing does not take the close either; nothing is read for them meanwhile.
    source.terminate();
  });
  source.once('close', () => socket.close(GOING_AWAY));
  socket.once('close', () => source.terminate());
}

/** Null: no address of a WebSocket. A fragment is never sent, and none may be given to one. */
function socketUrl(address: string): URL | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  url.hash = '';
  return url.protocol === 'ws:' || url.protocol === 'wss:' ? url : null;
}
