import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { videoUpstream } from '../src/upstreams/socket-upstreams.ts';
import { MjpegViewer } from '../src/viewers/mjpeg-viewer.ts';
import { lineViewer, relayVideo } from '../src/viewers/socket-viewers.ts';

/** A viewer's response that is read only when the test reads from it. */
class SlowResponse extends Writable {
  readonly chunks: string[] = [];
  #taken: (() => void) | undefined;
  constructor() {
    super({ highWaterMark: 16 });
  }
  override _write(chunk: Buffer, _encoding: string, taken: () => void): void {
    this.chunks.push(chunk.toString());
    if (this.chunks.length === 1) taken();
    else this.#taken = taken;
  }
  async take(): Promise<void> {
    this.#taken?.();
    await new Promise(process.nextTick);
    await new Promise(process.nextTick);
  }
  /** Pictures that have been written to the response. */
  get pictures(): string[] {
    return this.chunks.flatMap((chunk) => /picture \d/.exec(chunk) ?? []);
  }
}

describe('a viewer of an MJPEG preview', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const open = () => {
    const response = new SlowResponse();
    return { response, viewer: new MjpegViewer(response as unknown as ServerResponse) };
  };
  const picture = (number: number) => Buffer.from(`picture ${number}`);

  it('a slow viewer of an MJPEG preview loses frames: while one is being sent, only the newest waits', async () => {
    const { response, viewer } = open();
    for (const number of [1, 2, 3, 4]) viewer.frame(picture(number));
    expect([response.pictures, response.writableLength < 200]).toEqual([['picture 1'], true]);
    vi.advanceTimersByTime(29_000);
    await response.take();
    expect(response.pictures).toEqual(['picture 1', 'picture 4']);
    // The limit of 30 s begins again for each frame.
    vi.advanceTimersByTime(29_000);
    expect(response.destroyed).toBe(false);
    await response.take();
    vi.advanceTimersByTime(60_000);
    expect(response.destroyed).toBe(false);
  });

  it('a viewer of an MJPEG preview is told the type of each picture', async () => {
    const { response, viewer } = open();
    viewer.frame(Buffer.from([0xff, 0xd8, 0xff, 0xd9]));
    viewer.frame(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    await response.take();
    expect(response.chunks.flatMap((chunk) => /Content-Type: (\S+)/.exec(chunk)?.[1] ?? [])).toEqual([
      'image/jpeg',
      'image/png',
    ]);
  });

  it('a viewer of an MJPEG preview who takes nothing for 30 seconds is cut off', () => {
    const { response, viewer } = open();
    viewer.frame(picture(1));
    vi.advanceTimersByTime(15_000);
    viewer.frame(picture(2));
    vi.advanceTimersByTime(14_999);
    expect(response.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(response.destroyed).toBe(true);
    viewer.frame(picture(3));
    expect(response.pictures).toEqual(['picture 1']);
  });

  it('a viewer of an MJPEG preview who has just left gets nothing, and leaves no timer behind', async () => {
    const { response, viewer } = open();
    viewer.frame(picture(1));
    response.destroy(new Error('read ECONNRESET'));
    await new Promise((closed) => response.once('close', closed));
    viewer.frame(picture(2));
    viewer.end();
    viewer.end();
    expect([response.pictures, vi.getTimerCount()]).toEqual([['picture 1'], 0]);
  });
});

/** A viewer's WebSocket whose client reads nothing until the test lets it read. */
class SlowSocket extends EventEmitter {
  readonly sent: (string | Buffer)[] = [];
  readonly closed: number[] = [];
  readonly OPEN = WebSocket.OPEN;
  readyState: number = WebSocket.OPEN;
  bufferedAmount = 0;
  send(content: string | Buffer): void {
    this.sent.push(content);
    this.bufferedAmount += content.length;
  }
  close(code: number): void {
    if (this.readyState === WebSocket.OPEN) this.closed.push(code);
    this.readyState = WebSocket.CLOSING;
  }
  get socket(): WebSocket {
    return this as unknown as WebSocket;
  }
}

describe('a reader of log lines', () => {
  it('a slow reader of log lines loses lines instead of filling the memory, and learns how many', () => {
    const slow = new SlowSocket();
    const reader = lineViewer(slow.socket);
    const line = 'x'.repeat(4_096);
    for (let count = 0; count < 1_000; count++) reader.line(line);
    const before = slow.sent.length;
    expect(slow.bufferedAmount).toBeLessThan(300 * 1024);
    slow.bufferedAmount = 0;
    reader.line('next');
    reader.line('last');
    expect(slow.sent.slice(before)).toEqual([`(${1_000 - before} lines lost)`, 'next', 'last']);
    reader.end();
    expect(slow.closed).toEqual([1001]);
  });
});

describe('a viewer of H.264', () => {
  let source: WebSocketServer;
  let address: string;
  beforeEach(async () => {
    source = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(source, 'listening');
    address = `ws://127.0.0.1:${(source.address() as AddressInfo).port}/`;
  });
  afterEach(() => {
    for (const client of source.clients) client.terminate();
    source.close();
  });

  const connected = async () => (await once(source, 'connection'))[0] as WebSocket;

  it('a slow viewer of H.264 gets 1013 to come back later, and the source is closed immediately', async () => {
    const slow = new SlowSocket();
    relayVideo(
      videoUpstream(() => ({ url: address, connection: {} })),
      slow.socket,
    );
    const phone = await connected();
    const gone = once(phone, 'close');
    const frame = Buffer.alloc(1024 * 1024);
    for (let count = 0; count < 8; count++) phone.send(frame);
    await gone;
    expect([slow.sent.length, slow.closed]).toEqual([5, [1013]]);
  });

  it('a viewer of H.264 who leaves while the source is being opened leaves none open', async () => {
    const left = new SlowSocket();
    relayVideo(
      videoUpstream(() => ({ url: address, connection: {} })),
      left.socket,
    );
    left.readyState = WebSocket.CLOSED;
    left.emit('close');
    const later = new SlowSocket();
    relayVideo(
      videoUpstream(() => ({ url: address, connection: {} })),
      later.socket,
    );
    await connected();
    await vi.waitFor(() => expect(source.clients.size).toBe(1));
    later.emit('close');
    await vi.waitFor(() => expect(source.clients.size).toBe(0));
    expect([left.sent, left.closed]).toEqual([[], []]);
  });

  it('the socket of a viewer of H.264 is closed with 1001 when the source ends, does not answer or has no usable address', async () => {
    const watching = new SlowSocket();
    relayVideo(
      videoUpstream(() => ({ url: address, connection: {} })),
      watching.socket,
    );
    (await connected()).close();
    await vi.waitFor(() => expect(watching.closed).toEqual([1001]));
    for (const none of ['nowhere', '', 'http://127.0.0.1/', 'ws:', 'ws+unix:///tmp/x', 'ws://127.0.0.1:1/']) {
      const viewer = new SlowSocket();
      relayVideo(
        videoUpstream(() => ({ url: none, connection: {} })),
        viewer.socket,
      );
      await vi.waitFor(() => expect([none, viewer.closed]).toEqual([none, [1001]]));
    }
  });

  it('a viewer of H.264 is served from an address with a fragment, which is not sent', async () => {
    const watching = new SlowSocket();
    relayVideo(
      videoUpstream(() => ({ url: `${address}#main`, connection: {} })),
      watching.socket,
    );
    (await connected()).send(Buffer.from([1]));
    await vi.waitFor(() => expect(watching.sent).toHaveLength(1));
    watching.emit('close');
  });
});
