import { readFileSync } from 'node:fs';
import { type CommandHeaders, commandHeaders } from '../command-headers.ts';
import { type Environment, UnusableSetting } from '../environment.ts';
import { SvcError } from '../error.ts';
import { SvcClient } from '../rest-client.ts';
import { isSafeAddress } from '../safe-address.ts';
import { type RunningProxy, startProxy } from './server.ts';
import { type ProxySettings, readProxySettings, USAGE } from './settings.ts';
import { reason } from './upstream.ts';

/** Parts of the process that `svc proxy` uses, so that tests can replace them. */
export interface ProxyIo {
  out(text: string): void;
  err(text: string): void;
  readFile(path: string): string;
  /** Signal that is aborted when the command must end. */
  readonly stop: AbortSignal;
}

/** Returns the parts of this process. SIGTERM and SIGINT abort `stop`, which ends the command. */
export function processIo(): ProxyIo {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    readFile: (path) => readFileSync(path, 'utf8'),
    stop: stop.signal,
  };
}

/**
 * Runs `svc proxy` until it is stopped.
 * @returns the exit code
 */
export async function runProxy(args: readonly string[], env: Environment, io: ProxyIo): Promise<number> {
  let settings: ProxySettings | undefined;
  try {
    settings = readProxySettings(args, env, io.readFile);
  } catch (error) {
    if (!(error instanceof UnusableSetting)) throw error;
    io.err(`svc proxy: ${error.message}\n`);
    return 2;
  }
  if (settings === undefined) {
    io.out(USAGE);
    return 0;
  }
  const client = new SvcClient({ url: settings.to, credential: settings.pair });
  const headers = headersOf(settings, client);
  try {
    if (!(await areAccepted(client, headers, settings.to, io))) return 1;
    const { addToCreates, pair, ...rest } = settings;
    const proxy = await startProxy({
      ...rest,
      headers,
      socketHeaders: commandHeaders(pair),
      ...(addToCreates ? { createCredentials: pair } : {}),
    });
    return await untilStopped(proxy, settings.to, io);
  } catch (error) {
    io.err(`svc proxy: cannot listen on ${settings.host} port ${settings.port} (${reason(error)})\n`);
    return 1;
  } finally {
    headers.stop();
  }
}

function headersOf({ pair, bearer }: ProxySettings, client: SvcClient): CommandHeaders {
  if (bearer === undefined) return commandHeaders(pair);
  return commandHeaders({ issue: () => client.issueBearer({ audience: bearer }) });
}

/**
 * Checks the credentials when the proxy starts. Otherwise the user would find out about wrong credentials only from the
 * message "invalid session id" in a WebDriver tool. If the service is unreachable, prints only a warning.
 */
async function areAccepted(
  client: SvcClient,
  headers: CommandHeaders,
  to: string,
  io: ProxyIo,
): Promise<boolean> {
  if (!isSafeAddress(to)) {
    io.err(`svc proxy: ${to} is not HTTPS: anyone on the network path can read the credentials\n`);
  }
  try {
    await client.me();
    await headers.ready();
    return true;
  } catch (error) {
    const { status, code } = error instanceof SvcError ? error : { status: 0, code: 'failed' };
    if (status === 0 || status >= 500) {
      io.err(`svc proxy: ${to} does not respond (${code}); the proxy starts anyway\n`);
      return true;
    }
    io.err(`svc proxy: ${to} refuses these credentials (${status} ${code})\n`);
    return false;
  }
}

async function untilStopped(proxy: RunningProxy, to: string, io: ProxyIo): Promise<number> {
  io.out(`svc proxy ready on ${proxy.url} for ${to}\n`);
  if (!io.stop.aborted) {
    await new Promise((stopped) => io.stop.addEventListener('abort', stopped, { once: true }));
  }
  await proxy.close();
  return 0;
}
