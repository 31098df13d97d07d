import { Capabilities, WebDriver } from 'selenium-webdriver';
import { Executor, HttpClient } from 'selenium-webdriver/http/index.js';
import { withCreateCredentials } from './capabilities.ts';
import { withCommandHeaders } from './command-client.ts';
import { type ConnectionOptions, connect, type LabConnection } from './connection.ts';
import { startProxy } from './proxy/server.ts';
import type { SvcClient } from './rest-client.ts';

/**
 * Creates a session on a phone of the lab for selenium-webdriver: `await createDriver(fromEnv(), capabilities)`. The
 * create-session request carries the key pair. Commands carry a bearer token, which is renewed. In a CI job, the two
 * tokens of `ci-login` are used instead: the session token for the create-session request, and the bearer token for
 * commands. If the capabilities contain `webSocketUrl`, the session goes through a proxy on this machine, because
 * selenium opens its BiDi socket without headers. `quit` ends the session, the renewals and the proxy.
 */
export async function createDriver(
  client: SvcClient,
  capabilities: Capabilities | object,
  options: ConnectionOptions = {},
): Promise<WebDriver> {
  const wanted = new Capabilities(capabilities);
  const connection = await connect(client, options);
  const { executor, stop } = wanted.get('webSocketUrl') ? await proxied(connection) : direct(connection);
  const driver = WebDriver.createSession(executor, wanted, stop);
  await driver.getSession();
  return driver;
}

interface Server {
  readonly executor: Executor;
  stop(): Promise<void>;
}

function direct({ url, headers, credentials }: LabConnection): Server {
  const fill = (body: unknown) => withCreateCredentials(body, credentials) ?? body;
  const Client = withCommandHeaders(HttpClient, headers, fill);
  return { executor: new Executor(new Client(url)), stop: async () => headers.stop() };
}

async function proxied({ url, headers, socketHeaders, credentials }: LabConnection): Promise<Server> {
  const { origin } = new URL(url);
  const proxy = await startProxy({
    to: origin,
    headers,
    socketHeaders,
    createCredentials: credentials,
  });
  return {
    executor: new Executor(new HttpClient(url.replace(origin, proxy.url))),
    stop: async () => {
      headers.stop();
      await proxy.close();
    },
  };
}
