import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { type CorsHeaders, pairsOf } from './cors.ts';
import { createBody } from './create-body.ts';
import { isCreate, relayCreateResponse } from './create-response.ts';
import { upstreamHeaders } from './headers.ts';
import { ask, reason, type Upstream, webdriverError } from './upstream.ts';

/**
 * Forwards one request and streams its response back. The request's body is streamed too, except that of a
 * create-session request that gets credentials, which is read completely first.
 */
export async function forward(
  upstream: Upstream,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  cors: CorsHeaders = [],
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
  // The proxy may have to change the response to a create-session request, so it must not ask for a compressed
  // response.
  if (creating) delete headers['accept-encoding'];
  if (creating && upstream.createCredentials !== undefined) {
    return createBody(request, upstream.createCredentials, (body) => {
      if (body === undefined) return refuse(response, 413, 'the body of the create is too large');
      // The body carries credentials, so this header asks Appium not to log it (specification 5.5.2).
      const framed = { 'content-length': String(body.length), 'x-auto-is-sensitive': 'true' };
      send(upstream, { request, response, path, headers: { ...headers, ...framed }, creating, cors }).end(
        body,
      );
    });
  }
  // Without this header, Node's HTTP client sends the body of a GET, for example, without any framing, and the service
  // would read the body as the next request.
  if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';

  const asking = send(upstream, { request, response, path, headers, creating, cors });
  // Ignore errors here, because `send` handles them when the upstream request emits `error` or the response emits
  // `close`.
  pipeline(request, asking, () => {});
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly creating: boolean;
  readonly cors: CorsHeaders;
}

/** Starts the upstream request without its body, which the caller writes, and relays the response. */
function send(
  upstream: Upstream,
  { request, response, path, headers, creating, cors }: Exchange,
): ClientRequest {
  const asking = ask(upstream, { method: request.method, path, headers, agent: upstream.agent });
  asking.on('response', (answer) => {
    if (creating) relayCreateResponse(request, answer, response, cors);
    else relay(answer, response, cors);
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

function relay(answer: IncomingMessage, response: ServerResponse, cors: CorsHeaders): void {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, pairsOf(answer, cors).flat());
  pipeline(answer, response, () => {});
}

export function refuse(response: ServerResponse, status: number, why: string): void {
  if (response.destroyed || response.headersSent) return;
  const body = webdriverError(why);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    // The connection must close, because the unread rest of the request's body would be read as the next request.
    connection: 'close',
  });
  response.end(body);
}
