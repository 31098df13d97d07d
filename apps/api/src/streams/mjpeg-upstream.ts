import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type FrameSource, MjpegParts, NotMjpeg } from '@svc/device-lab';

/** Without a byte for this long the source counts as gone. */
const SILENT_MS = 15_000;

/**
 * MJPEG over HTTP. `addressOf` is asked each time it is opened; null: there is none now. Redirects are not followed,
 * and an address that answers anything else than a stream of JPEGs gives nothing.
 */
export function mjpegUpstream(addressOf: () => string | null): FrameSource {
  return {
    open: ({ frame, ended }) => {
      const request = requestOf(addressOf());
      if (request === null) {
        ended('no source');
        return () => undefined;
      }
      let over = false;
      const finish = (reason: string | null) => {
        if (over) return;
        over = true;
        request.destroy();
        if (reason !== null) ended(reason);
      };
      request.on('timeout', () => finish('silent'));
      request.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'failed'));
      request.on('response', (response) => {
        response.on('error', () => finish('broken off'));
        response.on('close', () => finish('closed'));
        if (!isMjpeg(response)) finish('no MJPEG');
        else takeParts(response, frame, finish);
      });
      request.end();
      return () => finish(null);
    },
  };
}

/** Null: there is no address now, or it is none. */
function requestOf(address: string | null): ClientRequest | null {
  if (address === null || !URL.canParse(address)) return null;
  const { protocol } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  return (protocol === 'https:' ? requestHttps : requestHttp)(address, { agent: false, timeout: SILENT_MS });
}

function isMjpeg({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 200 && /^multipart\/x-mixed-replace\b/i.test(headers['content-type'] ?? '');
}

function takeParts(
  response: IncomingMessage,
  frame: (jpeg: Uint8Array) => void,
  finish: (reason: string) => void,
): void {
  const parts = new MjpegParts(frame);
  response.on('data', (chunk: Buffer) => {
    try {
      parts.push(chunk);
    } catch (error) {
      finish(error instanceof NotMjpeg ? error.message : String(error));
    }
  });
}
