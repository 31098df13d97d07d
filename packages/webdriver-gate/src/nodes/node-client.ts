import type { IncomingHttpHeaders } from 'node:http';
import type { HubTokens } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { NodeAddress, NodeCalls } from '@svc/device-lab';
import type { Pool } from 'undici';
import { type Ask, ask, type RemoteAnswer } from '../remote/ask.ts';
import { connectionPool, isUntouched } from '../remote/connection-pool.ts';

interface NodeClientOptions {
  readonly tokens: HubTokens;
  /** Certificate authorities to trust instead of the system's, PEM; null: the system's. */
  readonly ca: string | null;
  /** Commands are checked here, and so they are to be there. */
  readonly guarded: boolean;
}

/** A driver may take minutes to start, an iOS simulator many. */
const CREATE_MS = 20 * 60 * 1000;
const CALL_MS = 30_000;

/** A node cannot be asked, or has not answered. */
export class NodeGone extends Error {
  /** There was no connection, so nothing was sent. */
  readonly isUntouched: boolean;

  constructor(node: NodeAddress, cause: unknown) {
    super(`node ${node.name} did not answer`, { cause });
    this.name = 'NodeGone';
    this.isUntouched = isUntouched(cause);
  }
}

/** What a hub sends to its nodes itself. One pool of connections a node, which its clients' commands use too. */
export class NodeClient implements NodeCalls {
  readonly #options: NodeClientOptions;
  readonly #pools = new Map<string, { url: string; pool: Pool }>();

  constructor(options: NodeClientOptions) {
    this.#options = options;
  }

  get tokens(): HubTokens {
    return this.#options.tokens;
  }

  get ca(): string | null {
    return this.#options.ca;
  }

  poolOf({ name, url }: NodeAddress): Pool {
    const known = this.#pools.get(name);
    if (known !== undefined && known.url === url) return known.pool;
    if (known !== undefined) void known.pool.destroy();
    const pool = connectionPool(url, this.#options.ca);
    this.#pools.set(name, { url, pool });
    return pool;
  }

  /** Rejects with `NodeGone`, or `Unavailable` when no token can be made. */
  async create(node: NodeAddress, { body, udid, ownerId, headers }: RemoteCreate): Promise<RemoteAnswer> {
    const token = await this.tokens.forCreate(udid, ownerId, this.#options.guarded);
    return await this.#ask(node, {
      method: 'POST',
      path: `${node.basePath}/session`,
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8', [HEADERS.hubToken]: token },
      body: JSON.stringify(body),
      withinMs: CREATE_MS,
    });
  }

  async endSession(node: NodeAddress, sessionId: string, ownerId: string | null): Promise<void> {
    const { status } = await this.#toSession(node, 'DELETE', sessionId, '', ownerId);
    if (status !== 200 && status !== 404) throw new Error(`node ${node.name} answered ${status}`);
  }

  /** Any command restarts the idle time-out; this one changes nothing. */
  async keepAlive(node: NodeAddress, sessionId: string, ownerId: string | null): Promise<void> {
    await this.#toSession(node, 'GET', sessionId, '/timeouts', ownerId);
  }

  giveUp({ name }: NodeAddress): void {
    const known = this.#pools.get(name);
    this.#pools.delete(name);
    void known?.pool.destroy(new Error('the node is no longer heard of'));
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(({ pool }) => pool.destroy()));
  }

  async #toSession(
    node: NodeAddress,
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

  async #ask(node: NodeAddress, request: Ask): Promise<RemoteAnswer> {
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
  readonly ownerId: string | null;
  readonly headers: IncomingHttpHeaders;
}
