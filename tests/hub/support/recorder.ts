import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Recorder {
  /** Address at which the recorder listens. */
  readonly url: string;
  /** Every byte that was sent to the server through the recorder. */
  received(): Buffer;
  /** From now on, the recorder forwards nothing and closes no connection. */
  cut(): void;
  heal(): void;
  /** Number of connections on which a request waits for its response. */
  waiting(): number;
  close(): void;
}

/** Forwards to the server on `port` and records the bytes. */
export async function startRecorder(port: number): Promise<Recorder> {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const senders = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    senders.add(from);
    from.once('close', () => senders.delete(from));
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      if (isCut) one.pause();
      one.on('error', () => one.destroy());
      one.on('close', () => {
        sockets.delete(one);
        if (!isCut) other.destroy();
      });
      one.on('data', (chunk: Buffer) => {
        if (one === from) chunks.push(chunk);
        other.write(chunk);
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => Buffer.concat(chunks),
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    waiting: () => [...senders].filter(({ readableLength }) => readableLength > 0).length,
    heal: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
