import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { argument, ready } from '../child.ts';

export interface CameraInput {
  readonly framesPerSecond: number;
}

/** An MJPEG server of a phone whose frames of 40 kB all differ. */
const FRAME_BYTES = 40_000;
const { framesPerSecond } = argument<CameraInput>();

const frame = Buffer.alloc(FRAME_BYTES, 0x55);
frame.set([0xff, 0xd8]);
frame.set([0xff, 0xd9], FRAME_BYTES - 2);
const head = `--BoundaryString\r\nContent-Type: image/jpeg\r\nContent-Length: ${FRAME_BYTES}\r\n\r\n`;
let count = 0;

/** The next part of the stream; its frame has another number than the one before it. */
function nextPart(): Buffer {
  count += 1;
  frame.writeUInt32BE(count, FRAME_BYTES / 2);
  return Buffer.concat([Buffer.from(head), frame, Buffer.from('\r\n')]);
}

const open = new Set<ServerResponse>();
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--BoundaryString' });
  response.flushHeaders();
  open.add(response);
  response.once('close', () => open.delete(response));
});
setInterval(() => {
  const part = nextPart();
  for (const response of open) response.write(part);
}, 1000 / framesPerSecond);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  ready(`http://127.0.0.1:${port}/`, {}, async () => server.closeAllConnections());
});
