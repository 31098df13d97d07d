import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ready } from '../child.ts';

/** An MJPEG server of a phone that sends ten frames of 40 kB per second. */
const FRAMES_PER_SECOND = 10;
const FRAME_BYTES = 40_000;

const frame = Buffer.alloc(FRAME_BYTES, 0x55);
frame.set([0xff, 0xd8]);
frame.set([0xff, 0xd9], FRAME_BYTES - 2);
const head = `--BoundaryString\r\nContent-Type: image/jpeg\r\nContent-Length: ${FRAME_BYTES}\r\n\r\n`;
const part = Buffer.concat([Buffer.from(head), frame, Buffer.from('\r\n')]);

const open = new Set<ServerResponse>();
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--BoundaryString' });
  response.flushHeaders();
  open.add(response);
  response.once('close', () => open.delete(response));
});
setInterval(() => {
  for (const response of open) response.write(part);
}, 1000 / FRAMES_PER_SECOND);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  ready(`http://127.0.0.1:${port}/`, {}, async () => server.closeAllConnections());
});
