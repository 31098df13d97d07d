import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '@svc/auth-core';
import {
  type Ask,
  ask,
  type Connection,
  type ConnectionPool,
  connectionPool,
  type Outbound,
  type RemoteAnswer,
  type ServerTls,
} from '@svc/outbound';

/** A WebDriver grid this server is the entrance of (`SVC_UPSTREAM`). */
export interface GridAddress {
  /** Scheme, host and port. */
  readonly url: string;
  /** Where its WebDriver routes begin: empty, or a leading slash and no trailing one. */
  readonly basePath: string;
  /** Sent to it as `Authorization`; null: nothing. */
  readonly authorization: string | null;
  /** Certificate authorities to trust instead of the system's, PEM; null: the system's. */
  readonly ca: string | null;
}

/** What a grid says about itself. */
export interface GridStatus {
  readonly isReady: boolean;
  /** Ids of the sessions it runs; null: it does not say, as grids other than Selenium's. */
  readonly sessions: ReadonlySet<string> | null;
}

/** Connections for creates: a grid may queue them, and commands are not to wait for that. */
const CREATES = 256;
/** For what this server asks itself: whether the grid is there must not wait for anything else. */
const CALLS = 8;
/** A grid may queue a create, and a driver may take minutes to start. */
const CREATE_MS = 20 * 60 * 1000;
const CALL_MS = 30_000;
const STATUS_MS = 10_000;
/** Some hundred bytes for each slot. */
const LARGEST_STATUS = 16 * 1024 * 1024;

interface Pools {
  /** Of clients. */
  readonly commands: ConnectionPool;
  readonly creates: ConnectionPool;
  readonly calls: ConnectionPool;
}

/** What an entrance sends to its grid itself, and the connections to it. */
export class GridClient {
  readonly address: GridAddress;
  /** Host and port: the sessions' node. */
  readonly name: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly #outbound: Outbound;
  #pools: Pools;

  constructor(address: GridAddress, outbound: Outbound) {
    this.address = address;
    this.#outbound = outbound;
    this.name = new URL(address.url).host;
    const { authorization } = address;
    this.credentials = authorization === null ? {} : { authorization };
    this.#pools = this.#newPools();
  }

  /** For the commands of its clients. */
  get pool(): ConnectionPool {
    return this.#pools.commands;
  }

  /** Of its own, for a socket. */
  get connection(): Connection {
    return this.#outbound.connection(new URL(this.address.url), this.#tls());
  }

  /** Selenium Grid takes no other content type than this one. Rejects when there is no whole answer. */
  create(body: object, headers: IncomingHttpHeaders, unwanted: AbortSignal): Promise<RemoteAnswer> {
    return this.#ask(this.#pools.creates, {
      method: 'POST',
      path: '/session',
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(body),
      withinMs: CREATE_MS,
      unwanted,
    });
  }

  /** Resolves once the session is gone, also when it was so already. */
  async endSession(id: string): Promise<void> {
    const { status } = await this.#toSession('DELETE', id, '');
    if (status !== 200 && status !== 404) throw new Error(`the grid answered ${status}`);
  }

  /** Any command restarts the idle time-out; this one changes nothing. Whether the grid knows the session. */
  async keepAlive(id: string): Promise<boolean> {
    const answer = await this.#toSession('GET', id, '/timeouts');
    return !isUnknownSession(answer);
  }

  async status(): Promise<GridStatus> {
    const answer = await this.#ask(this.#pools.calls, {
      method: 'GET',
      path: '/status',
      headers: {},
      body: null,
      withinMs: STATUS_MS,
      largest: LARGEST_STATUS,
    });
    const value = isRecord(answer.body) ? answer.body.value : undefined;
    // A grid without capacity answers 503, and is there.
    if (!isRecord(value)) return { isReady: false, sessions: null };
    return { isReady: value.ready === true, sessions: sessionsIn(value.nodes) };
  }

  /** It does not answer: what waits for it need not wait on. */
  giveUp(): void {
    const { commands, creates } = this.#pools;
    const reason = new Error('the grid does not answer');
    for (const pool of [commands, creates]) void pool.destroy(reason);
    this.#pools = { ...this.#newPools(), calls: this.#pools.calls };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map((pool) => pool.destroy()));
  }

  #newPools(): Pools {
    const pool = (connections?: number) =>
      connectionPool(this.address.url, this.#outbound, this.#tls(), connections);
    return { commands: pool(), creates: pool(CREATES), calls: pool(CALLS) };
  }

  #tls(): ServerTls {
    const { ca } = this.address;
    return ca === null ? {} : { ca };
  }

  #toSession(method: 'GET' | 'DELETE', id: string, command: string): Promise<RemoteAnswer> {
    const path = `/session/${encodeURIComponent(id)}${command}`;
    return this.#ask(this.#pools.calls, { method, path, headers: {}, body: null, withinMs: CALL_MS });
  }

  #ask(pool: ConnectionPool, { path, headers, ...request }: Ask): Promise<RemoteAnswer> {
    return ask(pool, {
      ...request,
      path: `${this.address.basePath}${path}`,
      headers: { ...headers, ...this.credentials },
    });
  }
}

/** The error by which WebDriver says that a session is over. */
export function isUnknownSession({ status, body }: RemoteAnswer): boolean {
  const value = isRecord(body) ? body.value : undefined;
  return status === 404 && isRecord(value) && value.error === 'invalid session id';
}

/** Selenium Grid 4: nodes, their slots, and the session in each. */
function sessionsIn(nodes: unknown): ReadonlySet<string> | null {
  if (!Array.isArray(nodes)) return null;
  const ids = new Set<string>();
  for (const node of nodes) {
    const slots: unknown = isRecord(node) ? node.slots : undefined;
    for (const slot of Array.isArray(slots) ? slots : []) {
      const session: unknown = isRecord(slot) ? slot.session : undefined;
      if (isRecord(session) && typeof session.sessionId === 'string') ids.add(session.sessionId);
    }
  }
  return ids;
}
