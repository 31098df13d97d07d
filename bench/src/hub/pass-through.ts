import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';
import { argument, ready } from '../child.ts';

export interface PassThroughInput {
  readonly to: string;
}

/**
 * The simplest forwarder with undici: it copies headers and bodies except for those of the connection. It checks, logs
 * and stores nothing.
 */

const CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

function kept(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const rest: Record<string, string | string[]> = {};
  for (const name in headers) if (!CONNECTION.has(name)) rest[name] = headers[name] as string | string[];
  return rest;
}

const pool = new Pool(argument<PassThroughInput>().to, { pipelining: 1 });
const server = createServer((req, res) => {
  const { method, url = '/', headers } = req;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  pool.dispatch(
    {
      method: method as Dispatcher.HttpMethod,
      path: url,
      headers: kept(headers),
      body: hasBody ? req : null,
    },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, answered) => void res.writeHead(status, kept(answered)),
      onResponseData: (_controller, chunk) => void res.write(chunk),
      onResponseEnd: () => void res.end(),
      onResponseError: () => void res.destroy(),
    },
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  ready(`http://127.0.0.1:${port}`, {}, () => pool.destroy());
});
