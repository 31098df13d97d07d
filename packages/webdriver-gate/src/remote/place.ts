import type { IncomingMessage } from 'node:http';
import type { Connection, ConnectionPool } from '@svc/outbound';

/** A server that runs sessions of this one: a node, a grid. */
export interface RemotePlace {
  /** For messages, at the begin of a sentence or within: `node lab-2:4723`, `the grid`. */
  readonly name: string;
  /** Scheme, host and port. */
  readonly url: string;
  /** Of its own, for a socket. */
  readonly connection: Connection;
  readonly pool: ConnectionPool;
  /** What goes along with a request in place of its client's credentials. `id`: of the session; null: of none. */
  credentials(
    id: string | null,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Whether a header of its answers goes on to the client. Name in lower case. */
  passes(name: string): boolean;
  /** A command was answered; called before its client is. */
  answered(req: IncomingMessage, id: string | null, status: number): void;
  /** That answer has come whole. */
  readonly heard?: () => void;
  /** That answer was 404 with this body, if it is a short one. */
  readonly unknown?: (id: string, body: Buffer) => void;
}
