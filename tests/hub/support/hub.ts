import { DEFAULT_ADMIN_EMAIL } from '@svc/contract';
import {
  freePort,
  type KeyPair,
  makeToken,
  type RunningServer,
  request,
  type ServerOptions,
  signIn,
  startLab,
} from '../../support/lab.ts';

export interface Hub extends RunningServer {
  /** Cookie of the first Super admin. */
  readonly admin: string;
  /** A key pair with the scope `admin`, for nodes. */
  readonly nodeKey: KeyPair;
}

type Options = ServerOptions;

const STRICT = { SVC_REQUIRE_COMMAND_AUTH: 'true' } as const;

/** Starts a lab that accepts nodes; by default without phones of its own. */
export async function startHub({ env, ...options }: Options = {}): Promise<Hub> {
  const lab = await startLab({
    env: { SVC_LAB_DEVICES: '0', SVC_LAB_DEVICE_PREFIX: 'hub', ...STRICT, ...env },
    ...options,
  });
  const admin = await signIn(lab.url);
  return { ...lab, admin, nodeKey: await makeToken(lab.url, admin, { name: 'nodes', scopes: ['admin'] }) };
}

/** A node does not start with the built-in password (contract 8.3). */
export const NODE_PASSWORD = 'a password for the node of a test';

/** Cookie of a node's own first Super admin. */
export const signInToNode = ({ url }: Pick<RunningServer, 'url'>) =>
  signIn(url, DEFAULT_ADMIN_EMAIL, NODE_PASSWORD);

interface NodeOptions extends Options {
  /** Prefix of the names of the node's phones. */
  readonly prefix?: string;
  readonly port?: number;
  /** Address at which the hub reaches the node; by default the address at which the node listens. */
  readonly url?: string;
  readonly key?: KeyPair;
}

export function nodeEnv(hub: Pick<Hub, 'url' | 'nodeKey'>, url: string, key = hub.nodeKey) {
  return {
    SVC_HUB_URL: hub.url,
    SVC_NODE_ACCESS_KEY: key.accessKey,
    SVC_NODE_TOKEN: key.token,
    SVC_NODE_URL: url,
    SVC_BOOTSTRAP_ADMIN_PASSWORD: NODE_PASSWORD,
  };
}

/** Starts a lab that is a node of `hub`. */
export async function startNode(
  hub: Pick<Hub, 'url' | 'nodeKey'>,
  options: NodeOptions = {},
): Promise<RunningServer & { port: number }> {
  const { prefix = 'node', key, env, url, port = await freePort(), ...rest } = options;
  const own = `http://127.0.0.1:${port}`;
  const lab = await startLab({
    env: {
      PORT: String(port),
      SVC_LAB_DEVICES: '1',
      SVC_LAB_DEVICE_PREFIX: prefix,
      ...STRICT,
      ...nodeEnv(hub, url ?? own, key),
      ...env,
    },
    ...rest,
  });
  return { ...lab, port };
}

export interface DeviceRow {
  readonly udid: string;
  readonly node: string | null;
  readonly status: 'free' | 'busy' | 'away';
  readonly model?: string | null;
}

export async function devicesOf({ api }: RunningServer, cookie: string): Promise<DeviceRow[]> {
  return (await (await api('/devices', { headers: { cookie } })).json()) as DeviceRow[];
}

/** Polls until the response meets the condition, because the server has no event for it. */
export async function until<T>(
  ask: () => Promise<T>,
  fits: (value: T) => boolean,
  withinMs = 20_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (fits(value)) return value;
    if (performance.now() > end) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((later) => setTimeout(later, 50));
  }
}

export const isThere = (udid: string) => (rows: DeviceRow[]) =>
  rows.some((row) => row.udid === udid && row.status !== 'away');

export async function command(
  url: string,
  session: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  json?: unknown,
): Promise<{ status: number; body: { value: unknown }; headers: Headers }> {
  const answer = await request(`${url}/session/${session}${path}`, {
    method,
    headers,
    ...(json === undefined ? {} : { json }),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { value: unknown },
    headers: answer.headers,
  };
}
