import { appendFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/**
 * Forwards connections and records them: `node tap.mjs <folder> <from host:port>=<to host:port> …`. For the n-th
 * connection, `<folder>/<n>.to` contains the bytes to the server, and `<folder>/<n>.from` the bytes from the server.
 * SIGUSR2 makes the connections slow; the next SIGUSR2 makes them fast again.
 */

const PIECE = 256;
const PIECE_EVERY_MS = 20;

const [folder, ...cables] = process.argv.slice(2);
let isSlow = false;
process.on('SIGUSR2', () => {
  isSlow = !isSlow;
});

/** Forwards data slowly in small pieces. Resolves when all data is forwarded. */
async function pass(source, target, file) {
  for await (const chunk of source) {
    appendFileSync(file, chunk);
    for (let at = 0; at < chunk.length; ) {
      const piece = isSlow ? chunk.subarray(at, at + PIECE) : chunk.subarray(at);
      at += piece.length;
      if (isSlow) await new Promise((later) => setTimeout(later, PIECE_EVERY_MS));
      if (target.destroyed) return;
      if (!target.write(piece))
        await new Promise((drained) => target.once('drain', drained).once('close', drained));
    }
  }
  target.end();
}

let connections = 0;
for (const [index, cable] of cables.entries()) {
  const [from, to] = cable.split('=').map((address) => {
    const [host, port] = address.split(':');
    return { host, port: Number(port) };
  });
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const number = connections++;
    const other = connect({ ...to, allowHalfOpen: true });
    const ends = [
      [client, other, `${folder}/${index}.${number}.to`],
      [other, client, `${folder}/${index}.${number}.from`],
    ];
    for (const [source, target, file] of ends) {
      writeFileSync(file, '');
      source.on('error', () => target.resetAndDestroy());
      pass(source, target, file).catch(() => target.resetAndDestroy());
    }
  });
  server.listen(from, () => console.log(`listening on ${cable}`));
}
