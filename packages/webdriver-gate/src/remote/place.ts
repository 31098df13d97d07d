import type { IncomingMessage } from 'node:http';
import type { Connection, ConnectionPool } from '@svc/outbound';

/** Server that runs sessions for this server: a node or a grid. */
export interface RemotePlace {
  /** Name for messages, such as `node lab-2:4723` or `the grid`. */
  readonly name: string;
  /** Scheme, host and port of the server. */
  readonly url: string;
  /** Options for a separate connection to the server, for a WebSocket. */
  readonly connection: Connection;
  readonly pool: ConnectionPool;
  /**
   * Returns the headers that replace the client's credentials. `id` is the id of the session, or null outside sessions.
   */
  credentials(
    id: string | null,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Returns whether a response header of the server is forwarded to the client. `name` is in lower case. */
  passes(name: string): boolean;
  /** Called for each response to a command, before the client gets the response. */
  answered(req: IncomingMessage, id: string | null, status: number): void;
  /** Called when a response to a command is complete, which shows that the server responds. */
  readonly responded?: () => void;
  /** Called when the response to a command was a 404 with a short body. */
  readonly notFound?: (id: string, body: Buffer) => void;
}
