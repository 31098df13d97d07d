import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { API_PREFIX, HEADERS, isRecord, SENSITIVE_HEADERS } from '@svc/contract';
import { type DirectInput, InputFailed, InputUnsupported } from '@svc/device-lab';
import {
  type Ask,
  ask,
  type Connection,
  type ConnectionPool,
  connectionPool,
  type Destinations,
  isUntouched,
  NotConnected,
  type Outbound,
  type RemoteAnswer,
  type ServerRules,
} from '@svc/outbound';
import type { Dispatcher } from 'undici';
import type { HubTokens } from '../tokens/hub-tokens.ts';
import type { LabNode } from './lab-node.ts';
import type { NodeCalls } from './node-calls.ts';

interface NodeClientOptions {
  readonly tokens: HubTokens;
  readonly outbound: Outbound;
  /** Decides, for each connection to a node, whether the address of the node is allowed (contract 8.3). */
  readonly destinations: Destinations;
  /** Certificate authorities (PEM) to trust instead of the system's, or null to trust the system's. */
  readonly ca: string | null;
  /**
   * Returns whether `keyPin`, the SHA-256 (base64) of a public key, is the one that the node showed at first contact.
   * At first contact, stores `keyPin` and returns true, or throws `Unavailable` if it cannot be stored.
   */
  readonly hasKey: (node: LabNode, keyPin: string) => boolean;
  /** Whether this server checks commands. If so, it tells its nodes to require hub tokens for commands. */
  readonly guarded: boolean;
}

/**
 * Time (ms) within which a node must respond to a create-session request. A driver may take minutes to start, and an
 * iOS simulator many minutes.
 */
const CREATE_MS = 20 * 60 * 1000;
const CALL_MS = 30_000;

/** Error for a node that could not be reached, or did not respond. */
export class NodeGone extends Error {
  /** Whether the request was not sent, because there was no connection to the node. */
  readonly isUntouched: boolean;

  constructor(node: LabNode, cause: unknown) {
    super(`node ${node.name} did not answer`, { cause });
    this.name = 'NodeGone';
    this.isUntouched = isUntouched(cause);
  }
}

/**
 * Sends a hub's own requests to its nodes. For each node, these requests and the commands of clients share one pool of
 * connections.
 */
export class NodeClient implements NodeCalls {
  readonly #options: NodeClientOptions;
  readonly #pools = new Map<string, { url: string; pool: ConnectionPool }>();

  constructor(options: NodeClientOptions) {
    this.#options = options;
  }

  get tokens(): HubTokens {
    return this.#options.tokens;
  }

  /**
   * Returns options with which Node's `request` or `ws` opens a separate connection to a node. Throws if the address of
   * the node is not allowed.
   */
  connection(node: LabNode): Connection {
    return this.#options.outbound.connection(new URL(node.url), this.#rulesOf(node));
  }

  poolOf(node: LabNode): ConnectionPool {
    const { name, url } = node;
    const known = this.#pools.get(name);
    if (known !== undefined && known.url === url) return known.pool;
    if (known !== undefined) void known.pool.destroy();
    const pool = connectionPool(url, this.#options.outbound, this.#rulesOf(node));
    this.#pools.set(name, { url, pool });
    return pool;
  }

  /**
   * Sends a create-session request to a node. Rejects with `NodeGone` if the node does not respond, or with
   * `Unavailable` if the hub token cannot be signed.
   */
  async create(
    node: LabNode,
    { body, udid, lessee, keep, ownerId, headers }: RemoteCreate,
  ): Promise<RemoteAnswer> {
    const { guarded } = this.#options;
    const token = await this.tokens.forCreate({ node: node.name, udid, lessee }, ownerId, { guarded, keep });
    return await this.#ask(node, {
      method: 'POST',
      path: `${node.basePath}/session`,
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8', [HEADERS.hubToken]: token },
      body: JSON.stringify(body),
      withinMs: CREATE_MS,
    });
  }

  async endSession(node: LabNode, sessionId: string, ownerId: string | null): Promise<void> {
    const { status } = await this.#toSession(node, 'DELETE', sessionId, '', ownerId);
    if (status !== 200 && status !== 404) throw new Error(`node ${node.name} answered ${status}`);
  }

  /** Restarts the idle time-out of the session, with a command that changes nothing. */
  async keepAlive(node: LabNode, sessionId: string, ownerId: string | null): Promise<void> {
    await this.#toSession(node, 'GET', sessionId, '/timeouts', ownerId);
  }

  /**
   * Runs an `svc:` execute method on the node.
   *
   * @returns the value of the method, or null if the node did not run it
   */
  async execute(
    node: LabNode,
    { sessionId, ownerId }: { sessionId: string; ownerId: string | null },
    script: string,
    fields: object,
  ): Promise<unknown> {
    const token = await this.tokens.forSession(sessionId, ownerId);
    const { status, body } = await this.#ask(node, {
      method: 'POST',
      path: `${node.basePath}/session/${encodeURIComponent(sessionId)}/execute/sync`,
      headers: { 'content-type': 'application/json; charset=utf-8', [HEADERS.hubToken]: token },
      body: JSON.stringify({ script, args: [fields] }),
      withinMs: CALL_MS,
    });
    return status === 200 && isRecord(body) ? (body.value ?? null) : null;
  }

  /**
   * Sends a request about a session to the API of a node. The caller must read or destroy the response body. Rejects
   * with `NodeGone` if the node does not respond.
   */
  async askAboutSession(
    node: LabNode,
    { sessionId, ownerId }: { sessionId: string; ownerId: string | null },
    { method, path }: { method: 'GET' | 'DELETE'; path: string },
  ): Promise<Dispatcher.ResponseData> {
    const token = await this.tokens.forSession(sessionId, ownerId);
    try {
      return await this.poolOf(node).request({
        method,
        path: `${API_PREFIX}/session/${encodeURIComponent(sessionId)}${path}`,
        headers: { origin: node.url, [HEADERS.hubToken]: token },
        signal: AbortSignal.timeout(CALL_MS),
      });
    } catch (cause) {
      throw new NodeGone(node, cause);
    }
  }

  /**
   * Sends an input, such as a tap, to the node's route for this kind of input, with a token that is valid for this
   * input only.
   */
  async input(
    node: LabNode,
    { udid, sessionId }: { udid: string; sessionId: string | null },
    input: DirectInput,
  ): Promise<void> {
    const token = await this.tokens.forControl({ node: node.name, udid }, input.kind, sessionId);
    const asked = this.#ask(node, {
      method: 'POST',
      path: `${API_PREFIX}/control/${encodeURIComponent(udid)}/${input.kind}`,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        origin: node.url,
        [HEADERS.hubToken]: token,
        [SENSITIVE_HEADERS.appium]: 'true',
      },
      body: JSON.stringify(bodyOf(input)),
      withinMs: 2 * CALL_MS,
    });
    const { status, body } = await asked.catch(() => ({ status: 0, body: null }));
    if (isRecord(body) && body.error === 'unsupported_input')
      throw new InputUnsupported(String(body.message ?? '').slice(0, 256));
    if (status === 0) throw new InputFailed(`node ${node.name} did not answer`);
    if (status !== 204) throw new InputFailed(`node ${node.name} answered ${status}`);
  }

  /** Asks a node what a cleaning would remove from its phone. Rejects with `NodeGone` if the node does not respond. */
  async cleaningPlan(node: LabNode, udid: string): Promise<RemoteAnswer> {
    const token = await this.tokens.forControl({ node: node.name, udid }, 'cleaning', null);
    return await this.#ask(node, {
      method: 'GET',
      path: `${API_PREFIX}/device/${encodeURIComponent(udid)}/cleaning`,
      headers: { [HEADERS.hubToken]: token },
      body: null,
      withinMs: CALL_MS,
    });
  }

  meet(node: LabNode): void {
    const asked = { method: 'GET', path: `${API_PREFIX}/health`, headers: {}, body: null } as const;
    void this.#ask(node, { ...asked, withinMs: CALL_MS }).catch(() => undefined);
  }

  giveUp({ name }: LabNode): void {
    const known = this.#pools.get(name);
    this.#pools.delete(name);
    void known?.pool.destroy(new Error('the node no longer reports'));
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(({ pool }) => pool.destroy()));
  }

  /**
   * Returns the conditions for a connection to a node: its address is allowed, its certificate is trusted and valid for
   * the host, and its public key is the one that it showed at first contact.
   */
  #rulesOf(node: LabNode): ServerRules {
    const { ca, hasKey, destinations } = this.#options;
    return {
      destinations,
      ...(ca === null ? {} : { ca }),
      checkServerIdentity: (host, certificate) => {
        const mismatch = checkServerIdentity(host, certificate);
        if (mismatch !== undefined) return mismatch;
        try {
          if (hasKey(node, keyPinOf(certificate))) return undefined;
        } catch (error) {
          return new NotConnected('its TLS key could not be compared', { cause: error });
        }
        return new NotConnected('another TLS key than it registered with');
      },
    };
  }

  async #toSession(
    node: LabNode,
    method: 'GET' | 'DELETE',
    sessionId: string,
    command: string,
    ownerId: string | null,
  ): Promise<RemoteAnswer> {
    const token = await this.tokens.forSession(sessionId, ownerId);
    return await this.#ask(node, {
      method,
      path: `${node.basePath}/session/${encodeURIComponent(sessionId)}${command}`,
      headers: { [HEADERS.hubToken]: token },
      body: null,
      withinMs: CALL_MS,
    });
  }

  async #ask(node: LabNode, request: Ask): Promise<RemoteAnswer> {
    try {
      return await ask(this.poolOf(node), request);
    } catch (cause) {
      throw new NodeGone(node, cause);
    }
  }
}

export interface RemoteCreate {
  readonly body: object;
  readonly udid: string;
  /** Account id of the holder of the device's lease, or undefined if it is not leased. */
  readonly lessee: string | undefined;
  /** Whether the node leaves the device unchanged after the session. */
  readonly keep: boolean | undefined;
  readonly ownerId: string | null;
  readonly headers: IncomingHttpHeaders;
}

function keyPinOf({ raw }: PeerCertificate): string {
  const spki = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64');
}

/** @returns the JSON body for the node: the input without its kind, which is already in the path */
function bodyOf({ kind: _, ...fields }: DirectInput): object {
  return fields;
}
