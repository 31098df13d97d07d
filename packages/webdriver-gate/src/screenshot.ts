import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { isRecord } from '@svc/contract';
import { markAuthorized, type Upstream } from './forward.ts';

/** Time (ms) to wait for a screenshot from a driver (contract 11). */
const SCREENSHOT_MS = 5_000;
/** Maximum size of a driver's response in bytes: the Base64 text of a picture of 8 MiB, and the JSON around it. */
const LARGEST_RESPONSE = 12 * 1024 * 1024;

/**
 * Takes screenshots through the drivers of sessions. The requests go directly to the server that runs the session, so
 * they are neither checked nor logged.
 * @returns a function that resolves to the picture of a session, or to null if none arrives in time. It never rejects.
 */
export function screenshotsVia(
  upstream: Pick<Upstream, 'request'>,
  basePath: string,
): (sessionId: string) => Promise<Uint8Array | null> {
  return async (sessionId) => {
    const url = `${basePath}/session/${encodeURIComponent(sessionId)}/screenshot`;
    const socket = new Nowhere() as unknown as Socket;
    const req = getRequest(socket, url);
    const res = new ServerResponse(req);
    const timer = setTimeout(() => res.destroy(), SCREENSHOT_MS);
    try {
      const answer = answerOf(res);
      markAuthorized(req, { kind: 'command', url, sessionId });
      upstream.request(req, res);
      return pictureIn(await answer);
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
      socket.destroy();
    }
  };
}

/** Socket that discards all data, for a request that exists only in this process. */
class Nowhere extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly bytesRead = 0;

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }

  setTimeout(): this {
    return this;
  }
}

function getRequest(socket: Socket, url: string): IncomingMessage {
  const req = new IncomingMessage(socket);
  Object.assign(req, { method: 'GET', url, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
  req.headers = { host: 'localhost', accept: 'application/json' };
  req.complete = true;
  req.push(null);
  return req;
}

/**
 * Collects the body of a response. Replaces `write` and `end` on the object itself, because Express replaces its
 * prototype. Rejects if the response is destroyed, is too large, or has a status other than 200.
 */
function answerOf(res: ServerResponse): Promise<string> {
  return new Promise((answered, failed) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: unknown): void => {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
      chunks.push(Buffer.from(chunk as Uint8Array));
      bytes += chunk.length;
      if (bytes > LARGEST_RESPONSE) res.destroy();
    };
    res.once('close', () => failed(new Error('no answer')));
    res.write = ((chunk: unknown) => {
      take(chunk);
      return true;
    }) as ServerResponse['write'];
    res.end = ((chunk: unknown) => {
      take(chunk);
      if (res.statusCode === 200) answered(Buffer.concat(chunks).toString('utf8'));
      else failed(new Error(`status ${res.statusCode}`));
      res.emit('finish');
      res.emit('close');
      return res;
    }) as ServerResponse['end'];
  });
}

function pictureIn(text: string): Uint8Array | null {
  const body: unknown = JSON.parse(text);
  const value = isRecord(body) ? body.value : undefined;
  return typeof value === 'string' ? Buffer.from(value, 'base64') : null;
}
