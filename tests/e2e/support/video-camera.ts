import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/**
 * H.264 (ITU-T H.264, 7.3) without a codec: every macroblock is sent as its samples (I_PCM), so each picture is a key
 * frame of exactly one colour.
 */

/** Size in macroblocks of 16 by 16 pixels. */
const SIZE = { width: 6, height: 10 };
/** The colours red, green and blue as luma and both chromas of BT.601. */
const COLOURS = [
  [81, 90, 240],
  [145, 54, 34],
  [41, 240, 110],
] as const;
const EVERY_MS = 100;

const START_CODE = Buffer.from([0, 0, 0, 1]);

class Bits {
  readonly #bytes: number[] = [];
  #last = 0;
  #free = 8;

  bits(value: number, count: number): this {
    for (let at = count - 1; at >= 0; at -= 1) {
      this.#free -= 1;
      this.#last |= ((value >> at) & 1) << this.#free;
      if (this.#free > 0) continue;
      this.#bytes.push(this.#last);
      [this.#last, this.#free] = [0, 8];
    }
    return this;
  }

  /** Writes unsigned Exp-Golomb codes. */
  codes(...values: readonly number[]): this {
    for (const value of values) {
      const length = 32 - Math.clz32(value + 1);
      this.bits(0, length - 1).bits(value + 1, length);
    }
    return this;
  }

  aligned(): this {
    return this.#free === 8 ? this : this.bits(0, this.#free);
  }

  samples(value: number, count: number): this {
    for (let at = 0; at < count; at += 1) this.#bytes.push(value);
    return this;
  }

  /** @returns a NAL unit after its start code, with emulation prevention */
  unit(header: number): Buffer {
    this.bits(1, 1).aligned();
    const escaped: number[] = [];
    for (const byte of this.#bytes) {
      if (byte <= 3 && escaped.at(-1) === 0 && escaped.at(-2) === 0) escaped.push(3);
      escaped.push(byte);
    }
    return Buffer.concat([START_CODE, Buffer.from([header]), Buffer.from(escaped)]);
  }
}

/**
 * Writes the parameter sets: constrained baseline profile, level 1. Pictures are shown in the order in which they
 * arrive.
 */
function parameters(): Buffer {
  const sequence = new Bits()
    .bits(0x42c00a, 24)
    .codes(0, 0, 2, 1)
    .bits(0, 1)
    .codes(SIZE.width - 1, SIZE.height - 1)
    .bits(0b1100, 4);
  const picture = new Bits().codes(0, 0).bits(0, 2).codes(0, 0, 0).bits(0, 3).codes(0, 0, 0).bits(0, 3);
  return Buffer.concat([sequence.unit(0x67), picture.unit(0x68)]);
}

function picture(number: number): Buffer {
  const [luma, blue, red] = COLOURS[number % COLOURS.length] as (typeof COLOURS)[number];
  const slice = new Bits()
    .codes(0, 7, 0)
    .bits(0, 4)
    .codes(number % 2)
    .bits(0, 2)
    .codes(0);
  for (let block = 0; block < SIZE.width * SIZE.height; block += 1)
    slice.codes(25).aligned().samples(luma, 256).samples(blue, 64).samples(red, 64);
  return slice.unit(0x65);
}

export interface VideoCamera {
  /** H.264 pictures in red, green and blue, in turn. */
  readonly videoUrl: string;
  /** Binary messages that are not video. */
  readonly noiseUrl: string;
  /** MJPEG of the given picture. */
  readonly mjpegUrl: string;
  /** Number of MJPEG streams opened so far. */
  readonly mjpegOpened: () => number;
  /** Cuts every H.264 stream; a new one starts from the beginning. */
  readonly cut: () => void;
  readonly close: () => void;
}

export async function startVideoCamera(jpeg: Buffer): Promise<VideoCamera> {
  let mjpegOpened = 0;
  const server = createServer((_request, answer) => {
    mjpegOpened += 1;
    answer.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
    const head = `--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    const frame = Buffer.concat([Buffer.from(head), jpeg, Buffer.from('\r\n')]);
    // Browsers show a part when the next one begins.
    answer.write(Buffer.concat([frame, frame]));
    const timer = setInterval(() => answer.write(frame), EVERY_MS);
    answer.once('close', () => clearInterval(timer));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { url }) => {
    let number = 0;
    const isVideo = url === '/video';
    if (isVideo) socket.send(parameters());
    const timer = setInterval(() => {
      socket.send(isVideo ? picture(number) : Buffer.from('no video'));
      number += 1;
    }, EVERY_MS);
    socket.once('close', () => clearInterval(timer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    for (const client of sockets.clients) client.terminate();
  };
  return {
    videoUrl: `ws://${at}/video`,
    noiseUrl: `ws://${at}/noise`,
    mjpegUrl: `http://${at}/`,
    mjpegOpened: () => mjpegOpened,
    cut,
    close: () => {
      cut();
      server.close();
      server.closeAllConnections();
    },
  };
}
