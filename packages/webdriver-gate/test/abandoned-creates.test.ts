import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { AbandonedCreates } from '../src/grid/abandoned-creates.ts';

/** Follows a create-session request; `leave` closes the connection of its client. */
function follow(creates: AbandonedCreates) {
  const socket = new EventEmitter();
  const followed = creates.follow({ socket } as unknown as Pick<IncomingMessage, 'socket'>);
  return { ...followed, socket, leave: () => void socket.emit('close') };
}

it('the oldest of more than 64 creates without a client is no longer waited for (contract 5)', () => {
  const creates = new AbandonedCreates();
  const waiting = follow(creates);
  const left = Array.from({ length: 65 }, () => follow(creates));
  for (const { leave } of left.slice(0, 64)) leave();
  expect(left.some(({ signal }) => signal.aborted)).toBe(false);
  left[64]?.leave();
  expect(left.map(({ signal }) => signal.aborted)).toEqual(left.map((_, index) => index === 0));
  expect(waiting.signal.aborted).toBe(false);
});

it('a create that was answered no longer counts (contract 5)', () => {
  const creates = new AbandonedCreates();
  const left = Array.from({ length: 64 }, () => follow(creates));
  for (const { leave } of left) leave();
  left[0]?.over();
  const answered = follow(creates);
  answered.over();
  expect(answered.socket.listenerCount('close')).toBe(0);
  answered.leave();
  follow(creates).leave();
  expect(left.some(({ signal }) => signal.aborted)).toBe(false);
});
