import { once } from 'node:events';
import { routes } from '@svc/contract';
import { WebSocket } from 'ws';
import { argument, ready } from '../child.ts';
import { ticketOf } from './ticket.ts';

export interface ReadersInput {
  readonly url: string;
  readonly cookie: string;
  readonly readers: number;
}

const { url, cookie, readers } = argument<ReadersInput>();
const sockets: WebSocket[] = [];
for (let count = 0; count < readers; count += 1) {
  const ticket = await ticketOf(url, cookie, routes.issueEventsTicket.path);
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/svc/api/events?ticket=${ticket}`);
  socket.once('close', (code) => {
    console.error(`an event connection was closed with ${code}`);
  });
  socket.on('message', () => undefined);
  await once(socket, 'open');
  sockets.push(socket);
}

ready(url, {}, async () => {
  for (const socket of sockets) {
    socket.removeAllListeners('close');
    socket.terminate();
  }
});
