import type { CommandHeaders } from './command-headers.ts';
import { type ConnectionOptions, connect, createText, type LabConnection } from './connection.ts';
import type { SvcClient } from './rest-client.ts';
import { SENSITIVE_HEADERS } from './wire.ts';

/** Options for WebdriverIO's `remote`, `attach`, `multiremote` or `wdio.conf` (see `webdriverioOptions`). */
export interface WebdriverioOptions {
  readonly headers: Record<string, string>;
  readonly transformRequest: (request: RequestInit) => RequestInit;
}

/** The same options with the address of the lab. */
export interface WebdriverioConnection extends WebdriverioOptions {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
}

/**
 * All options that `remote` needs to reach the lab, besides the capabilities: `remote({ ...(await
 * webdriverioConnection(fromEnv())), capabilities })`. Credentials are put into a create when it is sent, so
 * WebdriverIO's log does not contain them.
 */
export async function webdriverioConnection(
  client: SvcClient,
  options: ConnectionOptions = {},
): Promise<WebdriverioConnection> {
  return optionsOf(await connect(client, options));
}

/** @returns the options that make WebdriverIO use this connection */
export function optionsOf(connection: LabConnection): WebdriverioConnection {
  const { protocol, hostname, port, pathname } = new URL(connection.url);
  const { headers, transformRequest } = webdriverioOptions(connection.headers);
  return {
    protocol: protocol.slice(0, -1),
    hostname,
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    path: pathname,
    headers,
    transformRequest: (request) => {
      const sent = transformRequest(request);
      return isCreate(request) ? { ...sent, body: createText(request.body, connection.credentials) } : sent;
    },
  };
}

/**
 * The create, every command and the BiDi upgrade read `headers` when they start, so its getters return the values valid
 * at that moment. The test runner copies its configuration and thereby fixes these values; `transformRequest` still
 * works after the copy.
 */
export function webdriverioOptions(source: CommandHeaders): WebdriverioOptions {
  const headers = {};
  for (const name of source.names) {
    Object.defineProperty(headers, name, { enumerable: true, get: () => source.current()[name] });
  }
  return {
    headers,
    transformRequest: (request) => {
      const all = new Headers(request.headers);
      for (const [name, value] of Object.entries(source.current())) all.set(name, value);
      // A create carries credentials, so Appium must not log it (specification 5.5.2).
      if (isCreate(request)) all.set(SENSITIVE_HEADERS.own, 'true');
      // Following a redirect would send the credentials to the server that it names.
      return { ...request, headers: all, redirect: 'error' };
    },
  };
}

function isCreate(request: RequestInit): request is RequestInit & { body: string } {
  const { method, body } = request;
  return method === 'POST' && typeof body === 'string' && body.startsWith('{"capabilities":');
}
