import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { argument, ready } from '../child.ts';

export interface CameraInput {
  readonly framesPerSecond: number;
  /** True if all connections get their frames at the same moment; otherwise, each connection has a clock of its own. */
  readonly inStep?: boolean;
}

/** An MJPEG server whose frames of 40 kB all differ; each connection is the screen of a phone. */
const FRAME_BYTES = 40_000;
const { framesPerSecond, inStep = false } = argument<CameraInput>();

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

const PERIOD_MS = 1_000 / framesPerSecond;
/** The multiples of this number, without their whole parts, are spread evenly between 0 and 1. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
let connections = 0;

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--BoundaryString' });
  response.flushHeaders();
  const send = () => response.write(nextPart());
  let timer = setTimeout(() => {
    send();
    timer = setInterval(send, PERIOD_MS);
  }, firstDelay());
  response.once('close', () => clearInterval(timer));
});

function firstDelay(): number {
  connections += 1;
  return inStep ? PERIOD_MS - (performance.now() % PERIOD_MS) : ((connections * GOLDEN) % 1) * PERIOD_MS;
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  ready(`http://127.0.0.1:${port}/`, {}, async () => server.closeAllConnections());
});
