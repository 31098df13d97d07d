import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CorsHeaders, pairsOf } from './cors.ts';

/**
 * Maximum size in bytes of a create-session response that the proxy buffers and changes; a larger one is relayed
 * unchanged.
 */
const LARGEST_CHANGED = 1024 * 1024;

export function isCreate(method: string | undefined, path: string): boolean {
  return method === 'POST' && /\/session\/?(?:\?|$)/i.test(path);
}

/**
 * Relays the response to a create-session request. Replaces a `webSocketUrl` in the response by an address of the
 * proxy, so that the proxy can add the credential headers when the client opens that WebSocket (specification 5.7.7).
 */
export function relayCreateResponse(
  request: IncomingMessage,
  answer: IncomingMessage,
  response: ServerResponse,
  cors: CorsHeaders,
): void {
  const held: Buffer[] = [];
  let size = 0;
  const head = (pairs: readonly (readonly [string, string])[]) =>
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, pairs.flat());
  const collect = (chunk: Buffer) => {
    held.push(chunk);
    size += chunk.length;
    if (size <= LARGEST_CHANGED) return;
    answer.off('data', collect).off('end', finish);
    head(pairsOf(answer, cors));
    for (const each of held) response.write(each);
    answer.pipe(response);
  };
  const finish = () => {
    const body = withSocketAt(request.headers.host ?? '', Buffer.concat(held));
    const pairs = pairsOf(answer, cors).filter(([name]) => name.toLowerCase() !== 'content-length');
    head([...pairs, ['content-length', String(body.length)]]);
    response.end(body);
  };
  answer.on('data', collect).on('end', finish);
  answer.on('error', () => response.destroy());
}

/** @returns the body with its `webSocketUrl` pointing at `host`, or the same bytes if the body has no `webSocketUrl` */
function withSocketAt(host: string, body: Buffer): Buffer {
  try {
    const parsed = JSON.parse(body.toString('utf8'));
    const capabilities = parsed?.value?.capabilities;
    const url = new URL(capabilities.webSocketUrl);
    capabilities.webSocketUrl = `ws://${host}${url.pathname}${url.search}`;
    return Buffer.from(JSON.stringify(parsed));
  } catch {
    return body;
  }
}
