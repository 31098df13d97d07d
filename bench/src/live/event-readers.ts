import { once } from 'node:events';
import { SvcClient } from '@svc/client';
import { routes } from '@svc/contract';
import { WebSocket } from 'ws';
import { argument, ready } from '../child.ts';

export interface ReadersInput {
  readonly url: string;
  readonly cookie: string;
  readonly readers: number;
}

const { url, cookie, readers } = argument<ReadersInput>();
const client = new SvcClient({ url, credential: { cookie } });
const headers = { cookie, origin: url };
const sockets: WebSocket[] = [];
for (let count = 0; count < readers; count += 1) {
  const answer = await fetch(`${url}/svc/api${routes.issueEventsTicket.path}`, { method: 'POST', headers });
  const { ticket } = (await answer.json()) as { ticket: string };
  const socket = new WebSocket(`${client.url.replace(/^http/, 'ws')}/svc/api/events?ticket=${ticket}`);
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
