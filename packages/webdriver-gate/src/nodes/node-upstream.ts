import type { IncomingMessage } from 'node:http';
import type { Clock, Log } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { DriverSessions } from '@svc/device-lab';
import type { LabNode, NodeClient, Nodes } from '@svc/nodes';
import { type Connection, type ConnectionPool, isWebSocketUpgrade } from '@svc/outbound';
import { authorizedAs, type Upstream } from '../forward.ts';
import { hasDotSegments } from '../forwarded-target.ts';
import { endsSession, RemoteForwarder, type RemoteTarget } from '../remote/forwarder.ts';
import { isForClient } from '../remote/headers.ts';
import type { RemotePlace } from '../remote/place.ts';
import { requestIdOf } from '../request-origin.ts';
import { allowCors, refuseTarget } from '../responses.ts';
import { refuseUpgrade } from '../upgrade-socket.ts';

interface NodeUpstreamOptions {
  readonly nodes: Pick<Nodes, 'sessions'>;
  readonly client: NodeClient;
  readonly sessions: Pick<DriverSessions, 'ownerOf' | 'findIgnoringCase'>;
  /** Base path of this server. Each node has a base path of its own. */
  readonly basePath: string;
  /** Whether Appium runs with `--allow-cors` on this server. CORS headers of nodes are not forwarded. */
  readonly cors: boolean;
  /** Handles the requests that are not for a session on a node. */
  readonly local: Upstream;
  readonly clock: Clock;
  readonly log: Log;
  readonly execute: ConstructorParameters<typeof RemoteForwarder>[0]['execute'];
}

/**
 * Returns an object that forwards requests and WebSockets of a session to the server on which the session runs. A
 * request to a node carries a hub token in place of the client's credentials (contract 8.2). Refuses a path with dot
 * segments, because the node could read it as the path of one of its own pages.
 */
export function withNodes(options: NodeUpstreamOptions): Upstream {
  const { nodes, local, cors } = options;
  const forwarder = new RemoteForwarder(options);
  const places = new NodePlaces(options);
  return {
    request: (req, res, context) => {
      const passed = authorizedAs(req);
      const id = passed?.kind === 'command' ? passed.sessionId : undefined;
      const remote = id === undefined ? undefined : nodes.sessions.get(id);
      if (remote !== undefined && req.method !== 'OPTIONS') {
        if (cors) allowCors(res);
        if (hasDotSegments(req.url ?? '')) refuseTarget(res, requestIdOf(req));
        else forwarder.request(req, res, places.ofCommand(req, id as string, remote.node));
        return;
      }
      // Node may deliver an upgrade as a request. While commands are not checked, such an upgrade arrives here and may
      // be for the WebSocket of a session on a node.
      const isSocket = (passed === undefined || passed.kind === 'other') && isWebSocketUpgrade(req);
      const found = isSocket ? places.ofSocket(req) : undefined;
      if (found !== undefined && hasDotSegments(found.path)) refuseTarget(res, requestIdOf(req));
      else if (found === undefined || !forwarder.disguisedUpgrade(req, res, found))
        local.request(req, res, context);
    },
    upgrade: (req, socket, head) => {
      const found = places.ofSocket(req);
      if (found === undefined) local.upgrade(req, socket, head);
      else if (hasDotSegments(found.path)) refuseUpgrade(socket, 404);
      else void forwarder.tunnel(req, socket, head, found);
    },
  };
}

/** Finds the node for a request, and the path of the request on that node. */
class NodePlaces {
  readonly #options: NodeUpstreamOptions;
  readonly #places = new WeakMap<LabNode, NodePlace>();

  constructor(options: NodeUpstreamOptions) {
    this.#options = options;
  }

  ofCommand({ url = '' }: IncomingMessage, id: string, node: LabNode): RemoteTarget {
    return {
      id,
      place: this.#of(node),
      path: `${node.basePath}${url.slice(this.#options.basePath.length)}`,
    };
  }

  /**
   * @returns the node and the path for the WebSocket of a session, or undefined if the request is not for the WebSocket
   * of a session on a node
   */
  ofSocket({ url = '' }: IncomingMessage): RemoteTarget | undefined {
    const { nodes, sessions, basePath } = this.#options;
    const bidi = `${basePath}/bidi/`;
    const isBidi = url.startsWith(bidi);
    const given = isBidi ? url.slice(bidi.length) : /^\/ws\/session\/([^/?]+)/i.exec(url)?.[1];
    if (given === undefined) return undefined;
    const id = isBidi ? given : (sessions.findIgnoringCase(given) ?? given);
    const node = nodes.sessions.get(id)?.node;
    if (node === undefined) return undefined;
    return { id, place: this.#of(node), path: isBidi ? `${node.basePath}/bidi/${id}` : url };
  }

  #of(node: LabNode): NodePlace {
    const known = this.#places.get(node);
    if (known !== undefined) return known;
    const place = new NodePlace(node, this.#options);
    this.#places.set(node, place);
    return place;
  }
}

type PlaceOptions = Pick<NodeUpstreamOptions, 'nodes' | 'client' | 'sessions' | 'clock'>;

class NodePlace implements RemotePlace {
  readonly name: string;
  readonly #node: LabNode;
  readonly #options: PlaceOptions;

  constructor(node: LabNode, options: PlaceOptions) {
    this.name = `node ${node.name}`;
    this.#node = node;
    this.#options = options;
  }

  get url(): string {
    return this.#node.url;
  }

  get connection(): Connection {
    return this.#options.client.connection(this.#node);
  }

  get pool(): ConnectionPool {
    return this.#options.client.poolOf(this.#node);
  }

  credentials(id: string): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const { client, sessions } = this.#options;
    const token = client.tokens.forSession(id, sessions.ownerOf(id) ?? null);
    return typeof token === 'string' ? withToken(token) : token.then(withToken);
  }

  /**
   * Returns whether to forward a response header of the node to the client. CORS headers are not forwarded, because
   * this server decides which origins can read a response.
   */
  passes(name: string): boolean {
    return isForClient(name) && !name.startsWith('access-control-');
  }

  answered(req: IncomingMessage, id: string, status: number): void {
    const { nodes, clock } = this.#options;
    const remote = nodes.sessions.get(id);
    if (remote === undefined) return;
    remote.answeredAt = clock.now();
    if (status === 200 && endsSession(req)) nodes.sessions.end(id, { category: null, reason: null });
  }
}

function withToken(token: string): Readonly<Record<string, string>> {
  return { [HEADERS.hubToken]: token };
}
