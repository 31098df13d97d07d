import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type BoundedLines, type Clock, failureLines, isRecord, type Log } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { DriverSessions, LabNode, Nodes, RemoteSession } from '@svc/device-lab';
import type { Dispatcher } from 'undici';
import { authorizedAs, type Upstream } from '../forward.ts';
import { requestIdOf } from '../request-origin.ts';
import type { NodeClient } from './node-client.ts';
import { clientHeaders, nodeHeaders } from './node-headers.ts';
import { tunnelToNode } from './node-tunnel.ts';
import { readSmallBody } from './small-body.ts';

interface NodeUpstreamOptions {
  readonly nodes: Pick<Nodes, 'sessions'>;
  readonly client: NodeClient;
  readonly sessions: Pick<DriverSessions, 'ownerOf' | 'findIgnoringCase'>;
  /** Of this server; a node has its own. */
  readonly basePath: string;
  /** Where a command goes that runs on this server, and everything that is of no session. */
  readonly local: Upstream;
  readonly clock: Clock;
  readonly log: Log;
  /** Answers an `svc:` execute method of a session; false: it is none, and for the driver (contract 6.5). */
  readonly execute: (sessionId: string, body: ExecuteBody, res: ServerResponse) => boolean;
}

interface ExecuteBody {
  readonly script?: unknown;
  readonly args?: unknown;
}

const EXECUTE = /\/execute\/sync\/?(?:\?|$)/i;

/**
 * Requests and sockets of a session go where the session runs. What came with a client's credentials goes on with the
 * hub's token in their place (contract 8.2). Nothing is sent twice.
 */
export function withNodes(options: NodeUpstreamOptions): Upstream {
  const { nodes, local } = options;
  const forwarder = new NodeForwarder(options);
  return {
    request: (req, res, context) => {
      const passed = authorizedAs(req);
      const id = passed?.kind === 'command' ? passed.sessionId : undefined;
      const remote = id === undefined ? undefined : nodes.sessions.get(id);
      if (remote !== undefined && req.method !== 'OPTIONS')
        void forwarder.command(req, res, id as string, remote);
      else if (passed === undefined && req.headers.upgrade !== undefined)
        forwarder.disguisedUpgrade(req, res, () => local.request(req, res, context));
      else local.request(req, res, context);
    },
    upgrade: (req, socket, head) => {
      const found = forwarder.socketOf(req);
      if (found === undefined) local.upgrade(req, socket, head);
      else void forwarder.tunnel(req, socket, head, found);
    },
  };
}

interface SocketOfSession {
  readonly id: string;
  readonly remote: RemoteSession;
  readonly path: string;
}

class NodeForwarder {
  readonly #options: NodeUpstreamOptions;
  readonly #failures: BoundedLines;

  constructor(options: NodeUpstreamOptions) {
    this.#options = options;
    this.#failures = failureLines(options.log, options.clock);
  }

  async command(req: IncomingMessage, res: ServerResponse, id: string, remote: RemoteSession): Promise<void> {
    const { client, execute } = this.#options;
    const { node } = remote;
    try {
      const token = await this.#tokenOf(id);
      const body = await readSmallBody(req);
      if (res.destroyed) return;
      const url = req.url ?? '';
      if (body !== undefined && EXECUTE.test(url) && req.method === 'POST' && execute(id, bodyOf(req), res))
        return;
      const path = `${node.basePath}${url.slice(this.#options.basePath.length)}`;
      client.poolOf(node).dispatch(
        {
          method: (req.method ?? 'GET') as Dispatcher.HttpMethod,
          path,
          headers: nodeHeaders(req.headers, token),
          body: body ?? req,
        },
        this.#relay(req, res, id, remote),
      );
    } catch (error) {
      this.#fail(req, res, node, error);
    }
  }

  socketOf(req: IncomingMessage): SocketOfSession | undefined {
    const { nodes, sessions, basePath } = this.#options;
    const url = req.url ?? '';
    const bidi = `${basePath}/bidi/`;
    const isBidi = url.startsWith(bidi);
    const given = isBidi ? url.slice(bidi.length) : /^\/ws\/session\/([^/?]+)/i.exec(url)?.[1];
    if (given === undefined) return undefined;
    const id = isBidi ? given : (sessions.findIgnoringCase(given) ?? given);
    const remote = nodes.sessions.get(id);
    if (remote === undefined) return undefined;
    return { id, remote, path: isBidi ? `${remote.node.basePath}/bidi/${id}` : url };
  }

  disguisedUpgrade(req: IncomingMessage, res: ServerResponse, otherwise: () => void): void {
    const found = this.socketOf(req);
    if (found === undefined || res.socket === null) {
      otherwise();
      return;
    }
    res.detachSocket(req.socket);
    void this.tunnel(req, req.socket, Buffer.alloc(0), found);
  }

  async tunnel(
    req: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    { id, remote, path }: SocketOfSession,
  ): Promise<void> {
    socket.on('error', () => socket.destroy());
    const { client } = this.#options;
    const { node } = remote;
    const failed = (error: unknown): void => {
      const fields = { session: id, cause: String(error) };
      this.#failures.write(peerOf(req), `A session socket could not be opened on node ${node.name}`, fields);
    };
    try {
      const headers = nodeHeaders(req.headers, await this.#tokenOf(id));
      if (!socket.destroyed) tunnelToNode({ node, ca: client.ca, headers, path, socket, head, failed });
    } catch (error) {
      failed(error);
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }
  }

  #tokenOf(id: string): string | Promise<string> {
    return this.#options.client.tokens.forSession(id, this.#options.sessions.ownerOf(id) ?? null);
  }

  #relay(
    req: IncomingMessage,
    res: ServerResponse,
    id: string,
    remote: RemoteSession,
  ): Dispatcher.DispatchHandler {
    const { clock, nodes } = this.#options;
    let onClose: (() => void) | undefined;
    const done = () => {
      if (onClose !== undefined) res.off('close', onClose);
    };
    return {
      onRequestStart: (controller) => {
        onClose = () => controller.abort(new Error('the client is gone'));
        res.once('close', onClose);
        if (res.destroyed) onClose();
      },
      onResponseStart: (controller, status, headers, statusMessage) => {
        if (status < 200) return;
        remote.answeredAt = clock.now();
        if (status === 200 && endsSession(req)) nodes.sessions.end(id, { category: null, reason: null });
        res.on('drain', () => controller.resume());
        res.writeHead(status, statusMessage, clientHeaders(headers));
      },
      onResponseData: (controller, chunk) => {
        if (!res.write(chunk)) controller.pause();
      },
      onResponseEnd: () => {
        done();
        res.end();
      },
      onResponseError: (_controller, error) => {
        done();
        this.#fail(req, res, remote.node, error);
      },
    };
  }

  /** Whether the command ran there nobody knows; it is not sent again (contract 8.4). */
  #fail(req: IncomingMessage, res: ServerResponse, node: LabNode, error: unknown): void {
    if (res.destroyed) return;
    this.#failures.write(peerOf(req), `Node ${node.name} did not answer a command`, { cause: String(error) });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const message = `node ${node.name} did not answer; the command may have run or not`;
    const body = JSON.stringify({ value: { error: 'unknown error', message, stacktrace: '' } });
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

function peerOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? 'unknown';
}

function bodyOf(req: IncomingMessage): ExecuteBody {
  const { body } = req as IncomingMessage & { body?: unknown };
  return isRecord(body) ? body : {};
}

const OVERRIDE = 'x-http-method-override';

/** `DELETE /session/<id>`, also as Appium reads it from a POST. */
function endsSession(req: IncomingMessage): boolean {
  const passed = authorizedAs(req);
  if (passed?.kind !== 'command') return false;
  const { method, headers } = req;
  const asked = method === 'POST' ? String(headers[OVERRIDE] ?? method).toUpperCase() : method;
  return asked === 'DELETE' && /\/session\/[^/]+\/?(?:\?|$)/i.test(passed.url);
}
