import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/**
 * `passes` forwards everything in both directions. `silent` reads requests but sends nothing. `deaf` does not even
 * read. `stalls` forwards of each response only the head and the first byte of the body.
 */
export type LineMode = 'passes' | 'silent' | 'deaf' | 'stalls';

/** A server in front of another one that accepts connections and fails in ways that a closed port does not. */
export interface Line {
  readonly url: string;
  mode: LineMode;
  /** Number of open connections from clients. */
  open(): number;
  stop(): Promise<void>;
}

/**
 * Starts the line in front of the server on `port`. With `tls`, it listens with TLS; `at` is the port on which it
 * listens, or 0 for any free port.
 */
export async function startLine(port: number, tls?: TlsOptions, at = 0): Promise<Line> {
  const clients = new Set<Socket>();
  let mode: LineMode = 'passes';
  const take = (from: Socket): void => {
    clients.add(from);
    const to = connect(port, '127.0.0.1');
    from.on('error', () => from.destroy()).on('close', () => clients.delete(from) && to.destroy());
    to.on('error', () => to.destroy()).on('close', () => mode === 'passes' && from.destroy());
    from.on('data', (chunk: Buffer) => {
      if (mode === 'passes' || mode === 'stalls') to.write(chunk);
    });
    to.on('data', (chunk: Buffer) => {
      if (mode === 'passes') from.write(chunk);
      else if (mode === 'stalls') from.write(chunk.subarray(0, chunk.indexOf('\r\n\r\n') + 5));
    });
    if (mode === 'deaf') from.pause();
  };
  const server: Server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
  await new Promise<void>((listening) => server.listen(at, '127.0.0.1', listening));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${own}`,
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
      for (const from of clients) {
        if (mode === 'deaf') from.pause();
        else from.resume();
      }
    },
    open: () => clients.size,
    stop: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const from of clients) from.destroy();
      }),
  };
}
