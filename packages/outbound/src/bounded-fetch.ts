import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Outbound } from './outbound.ts';

/**
 * Limits of the requests that are sent to another server for one purpose, such as one sign-in at an identity provider.
 */
export interface FetchBounds {
  /** Returns whether requests to the URL are allowed. Requests to other URLs fail before a connection is opened. */
  readonly mayReach: (url: URL) => boolean;
  /** Maximum size of the body of a response, in bytes. */
  readonly largest: number;
  /** Signal that aborts all requests with these limits, for example when their common time limit is over. */
  readonly signal: AbortSignal;
}

/** The parts of a request that `boundedFetch` sends. They have the names and types of the function `fetch`. */
export interface FetchRequest {
  readonly method?: string | undefined;
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Error for a request that is not allowed, or a response that exceeds the limits. A server that cannot be reached
 * causes another error.
 */
export class OutOfBounds extends Error {}

/**
 * Creates a function like `fetch` for libraries that send requests to a server whose responses may be hostile. It
 * connects like every other request of this server (through `SVC_PROXY` if that is set), refuses URLs that `mayReach`
 * does not allow, never follows a redirect, and stops reading a body that is too large. In these cases it rejects with
 * `OutOfBounds`, otherwise with the error of the connection or of the signal.
 */
export function boundedFetch(outbound: Outbound, bounds: FetchBounds) {
  return async (address: string | URL, request: FetchRequest = {}): Promise<Response> => {
    const url = new URL(address);
    if (!bounds.mayReach(url)) throw new OutOfBounds(`requests to ${url.host} are not allowed`);
    const answer = await answered(url, request, outbound, signalOf(bounds, request));
    const { statusCode: status = 0 } = answer;
    if (status >= 300 && status < 400) {
      answer.destroy();
      throw new OutOfBounds(`${url.host} answered with a redirect, which is not followed`);
    }
    const body = await bodyOf(answer, url, bounds.largest);
    // Pass null for an empty body, because `Response` refuses a body for statuses such as 204.
    return new Response(body.length === 0 ? null : new Uint8Array(body), {
      status,
      headers: headersOf(answer),
    });
  };
}

function signalOf({ signal }: FetchBounds, request: FetchRequest): AbortSignal {
  return request.signal ? AbortSignal.any([signal, request.signal]) : signal;
}

function answered(
  url: URL,
  { method = 'GET', headers, body }: FetchRequest,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const text = textOf(body);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = {
    ...Object.fromEntries(new Headers(headers as Record<string, string>)),
    ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
  };
  return new Promise((resolve, reject) => {
    // Each request has its own connection, which is closed when the request ends.
    send(url, { method, headers: sent, signal, ...outbound.connection(url) })
      .on('response', resolve)
      .on('error', reject)
      // If the server responds with an upgrade (101), Node.js emits only `close`. Without this handler the promise
      // would stay pending.
      .on('close', () => reject(new OutOfBounds(`${url.host} gave no answer`)))
      .end(text);
  });
}

function textOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('only text and forms can be sent');
}

async function bodyOf(answer: IncomingMessage, url: URL, largest: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    // Throwing ends the loop over the body, which also closes the connection.
    if (size > largest) throw new OutOfBounds(`the answer of ${url.host} is larger than ${largest} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    try {
      headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
    } catch {
      // `append` throws if the name or value of a header is not valid. Leave such a header out.
    }
  }
  return headers;
}
