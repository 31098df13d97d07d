import type { FrameSource, LineSource } from '@svc/device-lab';
import type * as Ws from 'ws';
import { type Opening, openUpstream, type TargetOf, type UpstreamTarget } from './upstream-target.ts';

const LARGEST_FRAME = 8 * 1024 * 1024;
/** Maximum size (bytes) of a message with a log line. A larger message ends the stream. */
const LARGEST_LINE = 64 * 1024;
const CONNECT_MS = 5_000;
/** Interval of pings (ms). If a ping has no response when the next one is due, the connection is terminated. */
const PING_EVERY_MS = 30_000;

/**
 * Returns a source of video that passes on the binary messages of a WebSocket unchanged. Redirects are not followed.
 */
export function videoUpstream(targetOf: TargetOf): FrameSource {
  return {
    open: ({ frame, ended }) =>
      openUpstream(withLibrary(targetOf), ended, (target, opening) =>
        openSocket(target, LARGEST_FRAME, opening, (content, isBinary) => {
          if (isBinary) frame(content);
        }),
      ),
  };
}

/** Returns a source of log lines that reads each text message of a WebSocket as a line. */
export function lineUpstream(targetOf: TargetOf): LineSource {
  return {
    open: ({ line, ended }) =>
      openUpstream(withLibrary(targetOf), ended, (target, opening) =>
        openSocket(target, LARGEST_LINE, opening, (content, isBinary) => {
          if (!isBinary) line(content.toString('utf8'));
        }),
      ),
  };
}

let library: typeof Ws | undefined;

/** Loads the WebSocket library when the first socket is opened, because most servers never open one. */
function withLibrary(targetOf: TargetOf): TargetOf {
  return async () => {
    library ??= await import('ws');
    return await targetOf();
  };
}

function openSocket(
  { url: address, headers, connection }: UpstreamTarget,
  maxPayload: number,
  { finish }: Opening,
  take: (content: Buffer, isBinary: boolean) => void,
): () => void {
  const url = socketUrl(address);
  if (url === null) {
    finish('no source');
    return () => undefined;
  }
  const { WebSocket } = library as typeof Ws;
  const socket = new WebSocket(url, {
    handshakeTimeout: CONNECT_MS,
    maxPayload,
    perMessageDeflate: false,
    followRedirects: false,
    ...connection,
    ...(headers === undefined ? {} : { headers }),
  });
  let isAnswered = true;
  const pings = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    if (socket.readyState !== WebSocket.OPEN) return;
    isAnswered = false;
    socket.ping();
  }, PING_EVERY_MS).unref();
  socket.on('pong', () => {
    isAnswered = true;
  });
  socket.on('error', () => undefined);
  socket.on('message', (content, isBinary) => take(content as Buffer, isBinary));
  socket.once('close', () => {
    clearInterval(pings);
    finish('closed');
  });
  return () => socket.terminate();
}

/**
 * Parses the address of a WebSocket. Removes the fragment, because the WebSocket library rejects URLs with one.
 * @returns the URL, or null if the address is not a valid `ws:` or `wss:` URL
 */
function socketUrl(address: string): URL | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  url.hash = '';
  return url.protocol === 'ws:' || url.protocol === 'wss:' ? url : null;
}
