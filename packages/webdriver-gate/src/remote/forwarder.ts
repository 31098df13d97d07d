import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Clock, Log } from '@svc/auth-core';
import { HEADERS, isRecord } from '@svc/contract';
import { type BoundedLines, failureLines } from '@svc/module';
import {
  bodyKind,
  causeOf,
  isUntouched,
  leaveParsed,
  readSmallBody,
  streamedBody,
  tunnelTo,
} from '@svc/outbound';
import type { Dispatcher } from 'undici';
import { authorizedAs } from '../forward.ts';
import { requestIdOf } from '../request-origin.ts';
import { refuseUpgrade } from '../upgrade-socket.ts';
import { CommandTurns, NoTurn } from './command-turns.ts';
import { forwardedHeaders } from './headers.ts';
import type { RemotePlace } from './place.ts';
import { type Failed, Relay } from './relay.ts';

interface ForwarderOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Runs an `svc:` execute method of a session and sends the response (contract 6.5). Returns false if the script is
   * not such a method and must be forwarded to the driver.
   */
  readonly execute: (sessionId: string, body: ExecuteBody, res: ServerResponse) => boolean;
}

interface ExecuteBody {
  readonly script?: unknown;
  readonly args?: unknown;
}

/** Where a request is forwarded: the server, the path on it, and the session. */
export interface RemoteTarget {
  /** Id of the session, or null for a request outside sessions. */
  readonly id: string | null;
  readonly place: RemotePlace;
  /** Path and query on the other server. */
  readonly path: string;
}

const EXECUTE = /\/execute\/sync\/?(?:\?|$)/i;

/**
 * Forwards requests and WebSockets to a server that runs sessions. Replaces the client's credentials with credentials
 * for that server. Never sends a request again, because a command without a response may have run (contract 8.4).
 */
export class RemoteForwarder {
  readonly #execute: ForwarderOptions['execute'];
  readonly #failures: BoundedLines;
  readonly #turns = new CommandTurns();
  /**
   * Separate limit for requests that end sessions, so that a session can be ended even if all its other commands hang.
   */
  readonly #endTurns = new CommandTurns();

  constructor({ clock, log, execute }: ForwarderOptions) {
    this.#execute = execute;
    this.#failures = failureLines(log, clock);
  }

  /**
   * Forwards a request. Creates no promise if the credentials are available synchronously, because each promise costs
   * microseconds.
   */
  request(req: IncomingMessage, res: ServerResponse, target: RemoteTarget): void {
    const failed = (error: unknown): void => this.#fail(req, res, target.place, error);
    try {
      const credentials = target.place.credentials(target.id);
      if (credentials instanceof Promise)
        credentials.then((added) => this.#forward(req, res, target, added, failed)).catch(failed);
      else this.#forward(req, res, target, credentials, failed);
    } catch (error) {
      failed(error);
    }
  }

  #forward(
    req: IncomingMessage,
    res: ServerResponse,
    { id, place, path }: RemoteTarget,
    added: Readonly<Record<string, string>>,
    failed: Failed,
  ): void {
    if (res.destroyed) return;
    const turns = id !== null && endsSession(req) ? this.#endTurns : this.#turns;
    // Read the pool before the request waits for its turn. The pool is destroyed if, for example, the node gets another
    // address. The request must then fail, because a new pool might lead to a server without the session.
    const { pool } = place;
    const send = (body: Buffer | Readable | null): void => {
      const method = (req.method ?? 'GET') as Dispatcher.HttpMethod;
      const headers = forwardedHeaders(req.headers, added);
      const start = (): void =>
        pool.dispatch(
          { method, path, headers, body },
          new Relay({ req, res, id, place, failed, turns, turn: id }),
        );
      if (id === null) start();
      else turns.take(id, res, start, failed);
    };
    const kind = bodyKind(req);
    if (kind !== 'small') {
      send(kind === 'none' ? null : streamedBody(req));
      return;
    }
    readSmallBody(
      req,
      (body) => {
        try {
          if (!res.destroyed && !this.#isExecuted(req, res, id, body)) send(body);
          // Parse the body now, while the other server handles the command. The command log needs the result.
          leaveParsed(req, body);
        } catch (error) {
          failed(error);
        }
      },
      failed,
    );
  }

  #isExecuted(req: IncomingMessage, res: ServerResponse, id: string | null, body: Buffer): boolean {
    if (id === null || req.method !== 'POST' || !EXECUTE.test(req.url ?? '')) return false;
    leaveParsed(req, body);
    return this.#execute(id, bodyOf(req), res);
  }

  /**
   * Tunnels an upgrade that Node delivered as a request. Returns false if the response has no socket yet, because it
   * still waits for an earlier response on the same connection.
   */
  disguisedUpgrade(req: IncomingMessage, res: ServerResponse, target: RemoteTarget): boolean {
    if (res.socket === null) return false;
    res.detachSocket(req.socket);
    void this.tunnel(req, req.socket, Buffer.alloc(0), target);
    return true;
  }

  async tunnel(
    req: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    { id, place, path }: RemoteTarget,
  ): Promise<void> {
    socket.on('error', () => socket.destroy());
    const failed = (error: unknown): void => {
      const fields = { session: id, cause: causeOf(error) };
      this.#failures.write(peerOf(req), `A session socket could not be opened: ${place.name}`, fields);
    };
    try {
      const headers = forwardedHeaders(req.headers, await place.credentials(id));
      if (socket.destroyed) return;
      tunnelTo({
        url: place.url,
        connection: place.connection,
        headers,
        path,
        socket,
        head,
        passes: (name) => place.passes(name),
        refuse: refuseUpgrade,
        failed,
      });
    } catch (error) {
      failed(error);
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }
  }

  /**
   * Responds with 503 when a request got no response. The client must decide whether to send it again, because the
   * command may have run (contract 8.4).
   */
  #fail(req: IncomingMessage, res: ServerResponse, { name }: RemotePlace, error: unknown): void {
    if (res.destroyed) return;
    this.#failures.write(peerOf(req), `A command was not answered: ${name}`, { cause: causeOf(error) });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const value = { error: 'unknown error', message: messageOf(error, name), stacktrace: '' };
    const body = JSON.stringify({ value });
    res.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
      [HEADERS.requestId]: requestIdOf(req),
      connection: 'close',
      'content-length': Buffer.byteLength(body),
    });
    res.end(body);
  }
}

function messageOf(error: unknown, name: string): string {
  if (error instanceof NoTurn) return `${error.message}; the command was not sent`;
  return isUntouched(error)
    ? `${name} cannot be reached; the command was not sent`
    : `${name} did not answer; the command may have run or not`;
}

function peerOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? 'unknown';
}

function bodyOf(req: IncomingMessage): ExecuteBody {
  const { body } = req as IncomingMessage & { body?: unknown };
  return isRecord(body) ? body : {};
}

const OVERRIDE = 'x-http-method-override';

/**
 * Returns whether the request ends a session: it is `DELETE /session/<id>`, or a POST that Appium treats as a DELETE
 * because of a method override header.
 */
export function endsSession(req: IncomingMessage): boolean {
  const passed = authorizedAs(req);
  if (passed?.kind !== 'command') return false;
  const { method, headers } = req;
  const asked = method === 'POST' ? String(headers[OVERRIDE] ?? method).toUpperCase() : method;
  return asked === 'DELETE' && /\/session\/[^/]+\/?(?:\?|$)/i.test(passed.url);
}
