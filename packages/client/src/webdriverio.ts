import type { CommandHeaders } from './command-headers.ts';
import { type ConnectionOptions, connect, createText, type LabConnection } from './connection.ts';
import type { SvcClient } from './rest-client.ts';
import { SENSITIVE_HEADERS } from './wire.ts';

/** Options for WebdriverIO's `remote`, `attach`, `multiremote` or `wdio.conf` (see `webdriverioOptions`). */
export interface WebdriverioOptions {
  readonly headers: Record<string, string>;
  readonly transformRequest: (request: RequestInit) => RequestInit;
}

/** Options of `WebdriverioOptions` together with the address of the lab. */
export interface WebdriverioConnection extends WebdriverioOptions {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
}

/**
 * Returns all options that `remote` needs to reach the lab, except the capabilities: `remote({ ...(await
 * webdriverioConnection(fromEnv())), capabilities })`. Credentials are added to a create-session request only when it
 * is sent, so that WebdriverIO's log does not contain them.
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
 * Returns options that add the current credential headers to everything that WebdriverIO sends. The properties of
 * `headers` are getters, because WebdriverIO reads them again for each request and for the BiDi upgrade. Its test
 * runner copies the configuration, which turns the getters into fixed values; `transformRequest` still adds current
 * headers after the copy.
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
      // A create-session request carries credentials in its body, so this header asks Appium not to log it
      // (specification 5.5.2).
      if (isCreate(request)) all.set(SENSITIVE_HEADERS.own, 'true');
      // Redirects fail, because following them would send the credentials to the server that the redirect names.
      return { ...request, headers: all, redirect: 'error' };
    },
  };
}

function isCreate(request: RequestInit): request is RequestInit & { body: string } {
  const { method, body } = request;
  return method === 'POST' && typeof body === 'string' && body.startsWith('{"capabilities":');
}
