import type { IncomingMessage } from 'node:http';
import type { Connection, ConnectionPool } from '@svc/outbound';

/** A server that runs sessions for this one: a node or a grid. */
export interface RemotePlace {
  /** For messages, such as `node lab-2:4723` or `the grid`. */
  readonly name: string;
  /** Scheme, host and port. */
  readonly url: string;
  /** A separate connection, for a socket. */
  readonly connection: Connection;
  readonly pool: ConnectionPool;
  /** Headers in place of the client's credentials. `id` is that of the session, or null outside sessions. */
  credentials(
    id: string | null,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Whether a header of its responses is passed on to the client. `name` is in lower case. */
  passes(name: string): boolean;
  /** Called for each response to a command, before the client gets it. */
  answered(req: IncomingMessage, id: string | null, status: number): void;
  /** Called when that response is complete. */
  readonly responded?: () => void;
  /** Called when that response was a 404 with this short body. */
  readonly notFound?: (id: string, body: Buffer) => void;
}
