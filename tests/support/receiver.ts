import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

/** A delivery as received. */
interface ReceivedDelivery {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: { readonly event: string; readonly payload: Record<string, unknown> };
}

export interface Receiver {
  readonly url: string;
  readonly received: ReceivedDelivery[];
  /** Resolves when `isThere` returns true for the received deliveries. */
  until(isThere: (received: ReceivedDelivery[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Responds to a delivery; the default is 204. */
type Answer = (delivery: ReceivedDelivery, response: ServerResponse) => void;

/** Starts an HTTP server on this machine, with TLS if it has a certificate. */
export async function startReceiver(
  answer: Answer = (_delivery, response) => void response.writeHead(204).end(),
  tls?: ServerOptions,
): Promise<Receiver> {
  const received: ReceivedDelivery[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { headers, url: path = '' } = request;
    const delivery = { id: String(headers['webhook-id']), path, headers, body, json: JSON.parse(body) };
    received.push(delivery);
    answer(delivery, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    until: async (isThere) => {
      await expect.poll(() => isThere(received), { timeout: 30_000, interval: 20 }).toBe(true);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
