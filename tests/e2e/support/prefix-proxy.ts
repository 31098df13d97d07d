import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ends } from '../../support/ends.ts';

const closing: (() => void)[] = [];
ends.push(() => {
  for (const close of closing.splice(0)) close();
});

/**
 * Starts a proxy that serves the whole server below `/tools`, including sockets.
 * @returns its address with that path
 */
export async function startPrefixProxy(to: string): Promise<string> {
  const { hostname, port } = new URL(to);
  const inside = (url = '') => (url.startsWith('/tools/') ? url.slice('/tools'.length) : '/not-here');
  const server = createServer((req, res) => {
    const { method, headers } = req;
    const passed = request({ hostname, port, path: inside(req.url), method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  server.on('upgrade', (req, socket) => {
    const passed = request({ hostname, port, path: inside(req.url), headers: req.headers });
    passed.on('upgrade', (answer, upstream) => {
      const fields = answer.rawHeaders
        .map((field, index) => field + (index % 2 === 0 ? ': ' : '\r\n'))
        .join('');
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`);
      upstream.pipe(socket).pipe(upstream);
      upstream.on('error', () => socket.destroy());
    });
    passed.on('response', () => socket.destroy());
    passed.on('error', () => socket.destroy());
    socket.on('error', () => passed.destroy());
    passed.end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closing.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools`;
}
