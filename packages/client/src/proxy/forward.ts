import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { isCreate, relayCreateResponse } from './create-answer.ts';
import { endToEnd, upstreamHeaders } from './headers.ts';
import { ask, reason, type Upstream, webdriverError } from './upstream.ts';

/** Passes one request on and its answer back, both as streams. */
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
  // An answer we may have to change must not come compressed.
  if (creating) delete headers['accept-encoding'];
  // Node frames a body of unknown length only where the method expects one; unframed, it would read as a request.
  if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';

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
  // Its failure is the request's `error` or the response's `close`, dealt with above.
  pipeline(request, asking, () => {});
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
    // Its body was not read.
    connection: 'close',
  });
  response.end(body);
}
