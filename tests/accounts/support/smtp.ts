import { createServer, type Server, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { ends } from '../../support/ends.ts';

interface Received {
  readonly to: readonly string[];
  readonly secure: boolean;
  /** The message as received. */
  readonly source: string;
}

export interface MailServer {
  readonly port: number;
  /** Waits for the next message. */
  next(): Promise<Received>;
  /** Resolves when the next client has connected. */
  connected(): Promise<void>;
  count(): number;
}

const closing: (() => void)[] = [];
ends.push(() => {
  for (const close of closing.splice(0)) close();
});

/** A real SMTP server with the self-signed certificate of its library. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received = queue<Received>();
  const connections = queue<void>();
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onConnect: (_session, done) => {
      connections.put();
      done();
    },
    onData: (stream, session, done) => {
      let source = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        source += text;
      });
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.put({ to, secure: session.secure === true, source });
        done();
      });
    },
    ...options,
  });
  // A client that rejects the certificate closes the connection.
  server.on('error', () => undefined);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closing.push(() => server.close(() => undefined));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, next: received.take, connected: connections.take, count: received.count };
}

/** A server that accepts connections and sends nothing. */
export async function startHangingServer(): Promise<MailServer> {
  const connections = queue<void>();
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    connections.put();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, next: () => new Promise(() => undefined), connected: connections.take, count: () => 0 };
}

function queue<T>() {
  const arrived: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  let count = 0;
  return {
    put: (value: T) => {
      count += 1;
      const taker = waiting.shift();
      if (taker === undefined) arrived.push(value);
      else taker(value);
    },
    take: () =>
      new Promise<T>((take) => {
        if (arrived.length > 0) take(arrived.shift() as T);
        else waiting.push(take);
      }),
    count: () => count,
  };
}
