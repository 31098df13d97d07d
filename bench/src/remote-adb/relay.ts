import { connect, createServer } from 'node:net';
import { argument, ready } from '../child.ts';

export interface RelayFacts {
  readonly port: number;
}

/** Copies the bytes of each connection to a port of this machine and back, and does nothing else. */
const { to } = argument<{ readonly to: number }>();
const options = { noDelay: true, allowHalfOpen: true };
const server = createServer(options, (socket) => {
  const target = connect({ ...options, port: to, host: '127.0.0.1' });
  socket.on('error', () => target.destroy());
  target.on('error', () => socket.destroy());
  socket.pipe(target).pipe(socket);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as RelayFacts;
  const facts: RelayFacts = { port };
  ready('', facts, async () => server.close());
});
