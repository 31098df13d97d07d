import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { ends } from '../../support/ends.ts';

/** One request that the grid received. */
interface Reached {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Handles a request instead of the grid, possibly without a response; calling `usual` lets the grid respond. */
type Oddity = (req: IncomingMessage, res: ServerResponse) => unknown;

/**
 * A small grid for tests. It refuses what Selenium Grid refuses, finds a session wherever `/session/` is in the path,
 * and shows everything to every client.
 */
export interface FakeGrid {
  readonly url: string;
  readonly sessions: Set<string>;
  readonly reached: Reached[];
  /** Capabilities that are in responses to create-session requests, in addition to the requested ones. */
  answers: Record<string, unknown>;
  /** If set, handles the next requests, except for requests for the status. */
  odd: Oddity | null;
  readonly sockets: Set<WebSocket>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startFakeGrid(basePath = ''): Promise<FakeGrid> {
  const sockets = new WebSocketServer({ noServer: true });
  let port = 0;
  let count = 0;
  const grid = {
    url: '',
    sessions: new Set<string>(),
    reached: [] as Reached[],
    answers: {},
    odd: null as Oddity | null,
    sockets: sockets.clients,
  };
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('latin1').on('data', (text: string) => {
      body += text;
    });
    req.on('end', () => {
      const { method = '', headers } = req;
      const url = decodeURIComponent((req.url ?? '').split('?', 1)[0] as string);
      grid.reached.push({ method, url: req.url ?? '', headers, body });
      const send = (status: number, value: unknown) => {
        const text = JSON.stringify({ value });
        res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'set-cookie': 'a=b' });
        res.end(text);
      };
      const route = url.startsWith(basePath) ? url.slice(basePath.length) : url;
      if (route === '/status') {
        const slots = [...grid.sessions].map((sessionId) => ({ session: { sessionId } }));
        send(200, { ready: true, message: 'all of it', nodes: [{ slots }] });
      } else if (grid.odd !== null && grid.odd(req, res) !== 'usual') return;
      else if (route === '/session' && method === 'POST') {
        if (!/charset=utf-8/i.test(String(headers['content-type'])))
          send(500, { error: 'unknown error', message: 'Content-Type header does not indicate utf-8' });
        else {
          const id = `Grid-${count++}-session`;
          grid.sessions.add(id);
          const asked = JSON.parse(body).capabilities?.alwaysMatch ?? {};
          const at = `ws://10.0.0.1:5555/session/${id}/se`;
          const own = { webSocketUrl: `${at}/bidi`, 'se:cdp': `${at}/cdp`, 'se:vnc': `${at}/vnc` };
          send(200, { sessionId: id, capabilities: { ...asked, ...own, ...grid.answers } });
        }
      } else {
        const id = /\/session\/([^/]+)/.exec(url)?.[1];
        if (id === undefined) send(200, `everything at ${url}`);
        else if (!grid.sessions.has(id))
          send(404, { error: 'invalid session id', message: 'unknown', stacktrace: '' });
        else {
          if (method === 'DELETE' && /\/session\/[^/]+$/.test(url)) grid.sessions.delete(id);
          send(200, { id, method, body });
        }
      }
    });
  });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    grid.reached.push({ method: 'UPGRADE', url: req.url ?? '', headers: req.headers, body: '' });
    sockets.handleUpgrade(req, socket, head, (opened) => {
      opened.on('message', (data) => opened.send(`${req.url} ${data}`));
    });
  });
  const start = () =>
    new Promise<void>((listening) => {
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as AddressInfo).port;
        grid.url = `http://127.0.0.1:${port}`;
        listening();
      });
    });
  const stop = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
    });
  await start();
  stops.add(stop);
  return Object.assign(grid, { start, stop });
}

const stops = new Set<() => Promise<void>>();
ends.push(async () => {
  await Promise.all([...stops].map((stop) => stop()));
  stops.clear();
});
