import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** The picture server of a phone: MJPEG over HTTP, H.264 over a WebSocket. */
export interface Camera {
  readonly mjpegUrl: string;
  readonly h264Url: string;
  /** Open MJPEG connections. The next field is the number of all connections so far. */
  readonly open: Set<ServerResponse>;
  opened(): number;
  videoViewers(): number;
  show(picture: string): void;
  close(): void;
}

const jpeg = (picture: string) =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from(picture), Buffer.from([0xff, 0xd9])]);

export async function startCamera(): Promise<Camera> {
  const open = new Set<ServerResponse>();
  let opened = 0;
  const server = createServer((req, res) => {
    if (req.url !== '/') return void res.writeHead(404).end();
    opened += 1;
    open.add(res);
    res.once('close', () => open.delete(res));
    res.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--BoundaryString' });
    res.flushHeaders();
  });
  const video = new WebSocketServer({ server, path: '/h264' });
  video.on('connection', (socket) => {
    socket.send('told as text, which is not passed on');
    socket.send(Buffer.from([0, 0, 0, 1, 0x67]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    mjpegUrl: `http://127.0.0.1:${port}/`,
    h264Url: `ws://127.0.0.1:${port}/h264`,
    open,
    opened: () => opened,
    videoViewers: () => video.clients.size,
    show: (picture) => {
      const frame = jpeg(picture);
      const head = `--BoundaryString\r\nContent-type: image/jpg\r\nContent-Length: ${frame.length}\r\n\r\n`;
      for (const res of open) res.write(Buffer.concat([Buffer.from(head), frame, Buffer.from('\r\n\r\n')]));
    },
    close: () => {
      for (const client of video.clients) client.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}
