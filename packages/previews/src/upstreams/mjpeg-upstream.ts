import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { FrameSource } from '@svc/device-lab';
import { MjpegParts, NotMjpeg } from '../formats/mjpeg-parts.ts';
import { openUpstream, type TargetOf, type UpstreamTarget } from './upstream-target.ts';

/** Maximum time without data after which the source is disconnected (ms). */
const SILENT_MS = 15_000;

/**
 * Returns a source of frames that reads MJPEG over HTTP. Redirects are not followed. A response that is not a stream of
 * JPEGs ends the stream.
 */
export function mjpegUpstream(targetOf: TargetOf): FrameSource {
  return {
    open: ({ frame, ended }) =>
      openUpstream(targetOf, ended, (target, { finish }) => {
        const request = requestOf(target);
        if (request === null) {
          finish('no source');
          return () => undefined;
        }
        request.on('timeout', () => finish('silent'));
        request.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'failed'));
        request.on('response', (response) => {
          response.on('error', () => finish('broken off'));
          response.on('close', () => finish('closed'));
          if (!isMjpeg(response)) finish('no MJPEG');
          else takeParts(response, frame, finish);
        });
        request.end();
        return () => request.destroy();
      }),
  };
}

/** @returns the HTTP request, or null if the address is invalid */
function requestOf({ url, headers, connection }: UpstreamTarget): ClientRequest | null {
  if (!URL.canParse(url)) return null;
  const { protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  return (protocol === 'https:' ? requestHttps : requestHttp)(url, {
    ...connection,
    timeout: SILENT_MS,
    ...(headers === undefined ? {} : { headers }),
  });
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
