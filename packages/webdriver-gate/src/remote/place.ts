import type { IncomingMessage } from 'node:http';
import type { Connection, ConnectionPool } from '@svc/outbound';

/** A server to which this server forwards requests of sessions: a node or a grid. */
export interface RemotePlace {
  /** Name for messages, such as `node lab-2:4723` or `the grid`. */
  readonly name: string;
  /** Scheme, host and port of the server. */
  readonly url: string;
  /** Options for a separate connection to the server, for a WebSocket. */
  readonly connection: Connection;
  readonly pool: ConnectionPool;
  /**
   * Returns the headers to send in place of the client's credentials.
   * @param id id of the session, or null for a request outside sessions
   */
  credentials(
    id: string | null,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Returns whether to forward a response header to the client. `name` is in lower case. */
  passes(name: string): boolean;
  /** Called when the status of a response to a request has arrived, before the client gets the response. */
  answered(req: IncomingMessage, id: string | null, status: number): void;
  /** Called when a response is complete, as proof that the server responds. */
  readonly responded?: () => void;
  /** Called with the body of a 404 response to a command if the body is short enough to be a WebDriver error. */
  readonly notFound?: (id: string, body: Buffer) => void;
}
