import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { endToEnd } from '@svc/outbound/forward';
import { createBody } from './create-body.ts';
import { isCreate, relayCreateResponse } from './create-response.ts';
import { upstreamHeaders } from './headers.ts';
import { ask, reason, type Upstream, webdriverError } from './upstream.ts';

/**
 * Forwards one request and relays its response as streams. Only the body of a create that gets credentials is read
 * first.
 */
export async function forward(
  upstream: Upstream,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  let credential: Record<string, string>;
  try {
    credential = await upstream.headers.ready();
  } catch (error) {
    return refuse(response, 503, `no bearer token could be had (${reason(error)})`);
  }
  if (response.destroyed) return;
  const headers = upstreamHeaders(request, upstream.origin.host, credential);
  const creating = isCreate(request.method, path);
  // A response that may have to be changed must not be compressed.
  if (creating) delete headers['accept-encoding'];
  if (creating && upstream.createCredentials !== undefined) {
    return createBody(request, upstream.createCredentials, (body) => {
      if (body === undefined) return refuse(response, 413, 'the body of the create is too large');
      // The body carries credentials, so Appium must not log it (specification 5.5.2).
      const framed = { 'content-length': String(body.length), 'x-auto-is-sensitive': 'true' };
      send(upstream, { request, response, path, headers: { ...headers, ...framed }, creating }).end(body);
    });
  }
  // Node frames a body of unknown length only for methods that expect one; an unframed body would be read as another
  // request.
  if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';

  const asking = send(upstream, { request, response, path, headers, creating });
  // `send` handles failures, as the request's `error` or the response's `close`.
  pipeline(request, asking, () => {});
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly creating: boolean;
}

/** Sends the request to the service without its body. */
function send(upstream: Upstream, { request, response, path, headers, creating }: Exchange): ClientRequest {
  const asking = ask(upstream, { method: request.method, path, headers, agent: upstream.agent });
  asking.on('response', (answer) => {
    if (creating) relayCreateResponse(request, answer, response);
    else relay(answer, response);
  });
  asking.on('error', (error) => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502, `the service did not answer (${reason(error)})`);
  });
  response.on('close', () => {
    if (!response.writableFinished) asking.destroy();
  });
  return asking;
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer).flat());
  pipeline(answer, response, () => {});
}

export function refuse(response: ServerResponse, status: number, why: string): void {
  if (response.destroyed || response.headersSent) return;
  const body = webdriverError(why);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    // The body of the request was not read.
    connection: 'close',
  });
  response.end(body);
}
