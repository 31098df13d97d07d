import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** Number of unsent bytes at which reading from the other side pauses, and at which it goes on. */
const HIGH_WATER = 1024 * 1024;
const LOW_WATER = 256 * 1024;
/** Time (ms) that bytes from a client that has disconnected may take to reach the phone. */
const FLUSH_MS = 500;

const BINARY = { binary: true } as const;
const NORMAL = 1000;
const INTERNAL_ERROR = 1011;

/** Called for the bytes of each message, for example to count them. */
export interface PumpCounts {
  toPhone(bytes: number): void;
  fromPhone(bytes: number): void;
}

/**
 * Connects a WebSocket with the socket of an adb service until one of them closes. A side that reads slowly pauses the
 * other one, so that neither fills the memory.
 */
export function joinService(client: WebSocket, phone: Socket, counts: PumpCounts): void {
  const sent = () => {
    if (phone.isPaused() && client.bufferedAmount < LOW_WATER) phone.resume();
  };
  phone.on('data', (chunk: Buffer) => {
    counts.fromPhone(chunk.length);
    client.send(chunk, BINARY, sent);
    if (client.bufferedAmount > HIGH_WATER) phone.pause();
  });
  phone.on('drain', () => client.resume());
  phone.on('error', () => client.close(INTERNAL_ERROR));
  phone.once('end', () => client.close(NORMAL));
  phone.once('close', () => client.close(NORMAL));
  client.on('message', (content, isBinary) => {
    if (!isBinary) return;
    const chunk = content as Buffer;
    counts.toPhone(chunk.length);
    phone.write(chunk);
    if (phone.writableLength > HIGH_WATER) client.pause();
  });
  client.once('close', () => {
    phone.end();
    const late = setTimeout(() => phone.destroy(), FLUSH_MS).unref();
    phone.once('close', () => clearTimeout(late));
    phone.resume();
  });
  phone.resume();
}

/**
 * Connects the WebSocket of a client with that of the node to which the phone is connected, until one of them closes.
 * Binary messages pass in both directions. `text` gets the text messages of the node.
 */
export function joinNode(
  client: WebSocket,
  node: WebSocket,
  counts: PumpCounts,
  text: (message: string) => void,
): void {
  const pass = (from: WebSocket, to: WebSocket, chunk: Buffer) => {
    to.send(chunk, BINARY, () => {
      if (from.isPaused && to.bufferedAmount < LOW_WATER) from.resume();
    });
    if (to.bufferedAmount > HIGH_WATER) from.pause();
  };
  client.on('message', (content, isBinary) => {
    if (!isBinary) return;
    counts.toPhone((content as Buffer).length);
    pass(client, node, content as Buffer);
  });
  node.on('message', (content, isBinary) => {
    if (!isBinary) return text(String(content));
    counts.fromPhone((content as Buffer).length);
    pass(node, client, content as Buffer);
  });
  node.once('close', (code) => client.close(code === NORMAL ? NORMAL : INTERNAL_ERROR));
  client.once('close', () => {
    node.close(NORMAL);
    // A paused socket would not read the answer to the close frame.
    node.resume();
  });
}
