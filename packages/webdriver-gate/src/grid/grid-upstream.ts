import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Log } from '@svc/auth-core';
import { type DriverSessions, isListed } from '@svc/device-lab';
import { type Connection, type ConnectionPool, isWebSocketUpgrade } from '@svc/outbound';
import { authorizedAs, type GateContext, type Upstream } from '../forward.ts';
import { endsSession, RemoteForwarder, type RemoteTarget } from '../remote/forwarder.ts';
import { isForClient } from '../remote/headers.ts';
import type { RemotePlace } from '../remote/place.ts';
import { refuseUpgrade } from '../upgrade-socket.ts';
import { type GridClient, isUnknownSession } from './grid-client.ts';
import type { GridSessions } from './grid-sessions.ts';
import { gridIdOf } from './session-ids.ts';

interface GridUpstreamOptions {
  readonly client: GridClient;
  /** Notified when the grid responds and when a session ends. */
  readonly events: Pick<GridSessions, 'responded' | 'used' | 'end' | 'lost'>;
  /** Sessions for the session list. Null if this server keeps no records of sessions. */
  readonly sessions: Pick<DriverSessions, 'running'> | null;
  /** Base path of this server. */
  readonly basePath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly execute: ConstructorParameters<typeof RemoteForwarder>[0]['execute'];
}

/** Returns the object that forwards checked requests to the grid, without the client's credentials. */
export function gridUpstream(options: GridUpstreamOptions): Upstream {
  const { basePath, client } = options;
  const forwarder = new RemoteForwarder(options);
  const place = new GridPlace(options);
  const targetOf = (url: string, id: string | null): RemoteTarget => ({
    id,
    place,
    path: `${client.address.basePath}${id === null ? url.slice(basePath.length) : pathOf(url.slice(basePath.length), id)}`,
  });
  const socketOf = ({ url = '' }: IncomingMessage): RemoteTarget => targetOf(url, socketIdIn(url, basePath));
  return {
    request: (req, res, context) => {
      const passed = authorizedAs(req);
      if (isWebSocketUpgrade(req)) {
        if (!forwarder.disguisedUpgrade(req, res, socketOf(req))) answerUnknown(res);
      } else if (passed?.kind === 'command' && passed.sessionId !== undefined)
        forwarder.request(req, res, targetOf(passed.url, passed.sessionId));
      else if (passed?.kind === 'other') forwarder.request(req, res, targetOf(passed.url, null));
      else if (passed?.kind === 'listing') answerList(res, options.sessions, context);
      else answerUnknown(res);
    },
    upgrade: (req, socket, head) => {
      if (isWebSocketUpgrade(req)) void forwarder.tunnel(req, socket, head, socketOf(req));
      else refuseUpgrade(socket, 404);
    },
  };
}

/**
 * @returns the path with the grid's own session id in place of the signed id. The signed id must be the second segment,
 * as in the paths that the gate's check produces.
 */
function pathOf(path: string, id: string): string {
  const at = path.indexOf('/', 1) + 1;
  return `${path.slice(0, at)}${gridIdOf(id)}${path.slice(at + id.length)}`;
}

function socketIdIn(url: string, basePath: string): string | null {
  return /^\/(?:session|bidi)\/([^/?]+)/.exec(url.slice(basePath.length))?.[1] ?? null;
}

class GridPlace implements RemotePlace {
  readonly name = 'the grid';
  readonly #options: GridUpstreamOptions;

  constructor(options: GridUpstreamOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.client.address.url;
  }

  get connection(): Connection {
    return this.#options.client.connection;
  }

  get pool(): ConnectionPool {
    return this.#options.client.pool;
  }

  credentials(): Readonly<Record<string, string>> {
    return this.#options.client.credentials;
  }

  passes(name: string): boolean {
    return isForClient(name);
  }

  answered(req: IncomingMessage, id: string | null, status: number): void {
    if (id === null) return;
    const { events } = this.#options;
    events.used(id);
    if (status === 200 && endsSession(req)) events.end(id, { category: null, reason: null });
  }

  readonly responded = (): void => this.#options.events.responded();

  readonly notFound = (id: string, body: Buffer): void => {
    if (isUnknownSession({ status: 404, body: jsonOf(body) })) this.#options.events.lost(id);
  };
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** Sends the session list from the records of this server, because a grid has no such route (contract 7). */
function answerList(
  res: ServerResponse,
  sessions: GridUpstreamOptions['sessions'],
  context: GateContext | undefined,
): void {
  if (sessions === null) {
    const message = 'this entrance keeps no list of sessions; ask the first one';
    answer(res, 503, { value: { error: 'unknown error', message, stacktrace: '' } });
    return;
  }
  const caller = context?.kind === 'listing' ? context.caller : null;
  const listed = sessions.running().filter(({ ownerId }) => isListed(caller, ownerId));
  const value = listed.map(({ id, startedAt, capabilities }) => ({ id, created: startedAt, capabilities }));
  answer(res, 200, { value });
}

function answerUnknown(res: ServerResponse): void {
  const message = 'there is no such command here';
  answer(res, 404, { value: { error: 'unknown command', message, stacktrace: '' } });
}

function answer(res: ServerResponse, status: number, content: object): void {
  const body = JSON.stringify(content);
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}
