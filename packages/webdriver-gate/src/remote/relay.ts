import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { clientHeaders } from './headers.ts';
import type { RemotePlace } from './place.ts';

export interface Relayed {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly id: string | null;
  readonly place: RemotePlace;
  readonly failed: (error: unknown) => void;
}

/** A longer one is no error as WebDriver has them. */
const LONGEST_ERROR = 16 * 1024;

/** Hands an answer on to the client as it comes, at the client's pace; it ends when the client is gone. */
export function relay({ req, res, id, place, failed }: Relayed): Dispatcher.DispatchHandler {
  let onClose: (() => void) | undefined;
  let unknown: Buffer[] | undefined;
  let size = 0;
  const done = () => {
    if (onClose !== undefined) res.off('close', onClose);
  };
  return {
    onRequestStart: (controller) => {
      onClose = () => controller.abort(new Error('the client is gone'));
      res.once('close', onClose);
      if (res.destroyed) onClose();
    },
    onResponseStart: (controller, status, headers, statusMessage) => {
      if (status < 200) return;
      if (id !== null && isRedirect(status)) {
        controller.abort(new Error(`it redirects (status ${status})`));
        return;
      }
      place.answered(req, id, status);
      if (status === 404 && place.unknown !== undefined) unknown = [];
      res.on('drain', () => controller.resume());
      res.writeHead(status, statusMessage, clientHeaders(headers));
    },
    onResponseData: (controller, chunk) => {
      if (unknown !== undefined) {
        size += chunk.length;
        if (size > LONGEST_ERROR) unknown = undefined;
        else unknown.push(chunk);
      }
      if (!res.write(chunk)) controller.pause();
    },
    onResponseEnd: () => {
      done();
      if (unknown !== undefined && id !== null) place.unknown?.(id, Buffer.concat(unknown, size));
      res.end();
    },
    onResponseError: (_controller, error) => {
      done();
      failed(error);
    },
  };
}

/** A client would send its credentials after it, wherever it leads. No command is answered with one. */
function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399 && status !== 304;
}
