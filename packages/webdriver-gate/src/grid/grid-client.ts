import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '@svc/contract';
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

/** Address of the WebDriver grid behind this server (`SVC_UPSTREAM`). */
export interface GridAddress {
  /** Scheme, host and port of the grid. */
  readonly url: string;
  /** Prefix of the grid's WebDriver routes: empty, or with a leading slash and no trailing one. */
  readonly basePath: string;
  /** Value of the `Authorization` header for the grid, or null to send none. */
  readonly authorization: string | null;
  /** Certificate authorities (PEM) to trust instead of the system's, or null to trust the system's. */
  readonly ca: string | null;
}

/** The state that a grid reports about itself. */
export interface GridStatus {
  readonly isReady: boolean;
  /**
   * Ids of the running sessions. Null if the grid is not a Selenium Grid, because other grids do not list their
   * sessions.
   */
  readonly sessions: ReadonlySet<string> | null;
}

/**
 * Maximum number of connections for create-session requests. Commands have connections of their own, so that they do
 * not wait behind create-session requests that the grid queues.
 */
const CREATES = 256;
/**
 * Maximum number of connections for this server's own requests, such as status requests. Requests of clients have other
 * connections, so that this server's requests never wait for them.
 */
const CALLS = 8;
/**
 * Time (ms) within which the grid must respond to a create-session request. The grid may queue the request, and a
 * driver may take minutes to start.
 */
const CREATE_MS = 20 * 60 * 1000;
const CALL_MS = 30_000;
const STATUS_MS = 10_000;
/**
 * Maximum size in bytes of the grid's response to a status request. The response has some hundred bytes for each slot
 * of the grid.
 */
const LARGEST_STATUS = 16 * 1024 * 1024;

interface Pools {
  /** Connections for commands of clients. */
  readonly commands: ConnectionPool;
  readonly creates: ConnectionPool;
  readonly calls: ConnectionPool;
}

/** Sends this server's own requests to the WebDriver grid behind it, and provides the connections to that grid. */
export class GridClient {
  readonly address: GridAddress;
  /** Host and port of the grid. Session records contain this text as the name of the node. */
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

  /** Connections for commands of clients. */
  get pool(): ConnectionPool {
    return this.#pools.commands;
  }

  /** Options for a separate connection to the grid, for a WebSocket. */
  get connection(): Connection {
    return this.#outbound.connection(new URL(this.address.url), this.#tls());
  }

  /**
   * Sends a create-session request to the grid. Rejects if no complete response arrives or if `unwanted` is aborted.
   * Sets the content type to JSON, because Selenium Grid refuses every other type.
   */
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

  /** Ends a session at the grid. Rejects if the grid may still have the session. */
  async endSession(id: string): Promise<void> {
    const { status } = await this.#toSession('DELETE', id, '');
    if (status !== 200 && status !== 404) throw new Error(`the grid answered ${status}`);
  }

  /**
   * Restarts the idle time-out of a session with a command that changes nothing. Resolves to false if the grid does not
   * have the session.
   */
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
    // The status code is ignored, because a working grid without free capacity responds with 503.
    if (!isRecord(value)) return { isReady: false, sessions: null };
    return { isReady: value.ready === true, sessions: sessionsIn(value.nodes) };
  }

  /** Fails all waiting requests of clients. Call this when the grid does not respond. */
  giveUp(): void {
    const { commands, creates } = this.#pools;
    const reason = new Error('the grid does not respond');
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

/** Returns whether the response is the WebDriver error for a session that does not exist. */
export function isUnknownSession({ status, body }: RemoteAnswer): boolean {
  const value = isRecord(body) ? body.value : undefined;
  return status === 404 && isRecord(value) && value.error === 'invalid session id';
}

/** Returns the ids of the running sessions in a status of Selenium Grid 4, or null if the status lists no nodes. */
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
