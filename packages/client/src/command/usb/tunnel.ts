import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { recordOf } from '../phone/questions.ts';

/** Number of unsent bytes at which reading from the other side pauses, and at which it goes on. */
const HIGH_WATER = 1024 * 1024;
const LOW_WATER = 256 * 1024;
const BINARY = { binary: true } as const;

/**
 * Connects a paused local socket with a WebSocket of the lab once the lab has accepted its service, until one of them
 * closes.
 * @param accepted called before the first byte of the phone
 */
export function joinSocket(local: Socket, phone: WebSocket, accepted: () => void): void {
  let isAccepted = false;
  const start = () => {
    if (isAccepted) return;
    isAccepted = true;
    accepted();
    local.on('data', (chunk: Buffer) => {
      phone.send(chunk, BINARY, () => {
        if (phone.bufferedAmount < LOW_WATER) local.resume();
      });
      if (phone.bufferedAmount > HIGH_WATER) local.pause();
    });
    local.resume();
  };
  phone.on('message', (content, isBinary) => {
    if (!isBinary) {
      if (recordOf(String(content))?.ok === true) start();
      return;
    }
    local.write(content as Buffer);
    if (local.writableLength > HIGH_WATER) phone.pause();
  });
  local.on('drain', () => phone.resume());
  if (local.destroyed) phone.close();
  local.once('close', () => phone.close());
  phone.once('close', () => {
    if (isAccepted) local.end();
  });
}
