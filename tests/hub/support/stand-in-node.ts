import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SvcClient } from '@svc/client';
import type { Hub } from './hub.ts';

/** A request as the node received it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

type Answer = (received: Received) => void;

/** A node whose responses the test controls. */
export interface StandInNode {
  readonly url: string;
  /** Host and port. */
  readonly name: string;
  readonly received: Received[];
  /** Upgrades, whose sockets the test controls. */
  readonly upgrades: { readonly req: IncomingMessage; readonly socket: Duplex }[];
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  register(): Promise<void>;
  /** Sets the response to create-session requests from now on; undefined restores the default. */
  onCreate(answer: Answer | undefined): void;
  onCommand(answer: Answer | undefined): void;
  /** From now on, the node does not read bodies of commands and sends nothing. */
  stall(): void;
  /** Resets all connections. */
  vanish(): void;
  close(): void;
}

export function json(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  res.end(text);
}

interface StandInOptions {
  readonly udids: readonly string[];
  readonly basePath?: string;
}

export async function startStandInNode(
  hub: Hub,
  { udids, basePath = '' }: StandInOptions,
): Promise<StandInNode> {
  const received: Received[] = [];
  const upgrades: { req: IncomingMessage; socket: Duplex }[] = [];
  const sockets = new Set<Socket>();
  const running = new Map<string, string>();
  let onCreate: Answer | undefined;
  let onCommand: Answer | undefined;
  let isStalled = false;
  const usual = (each: Received): void => {
    const { method, url, body, res } = each;
    if (method === 'POST' && url === `${basePath}/session`) {
      const { alwaysMatch = {} } = JSON.parse(body.toString('utf8')).capabilities ?? {};
      const sessionId = randomUUID();
      running.set(sessionId, alwaysMatch['appium:udid'] ?? '');
      const capabilities = { platformName: 'Fake', ...socketUrl(alwaysMatch, sessionId) };
      json(res, 200, { value: { sessionId, capabilities } });
      return;
    }
    if (method === 'DELETE') running.delete(url.split('/').at(-1) as string);
    json(res, 200, { value: null });
  };
  const socketUrl = ({ webSocketUrl }: { webSocketUrl?: unknown }, id: string) =>
    webSocketUrl === true ? { webSocketUrl: `ws://${name()}${basePath}/bidi/${id}` } : {};
  const server = createServer((req, res) => {
    if (isStalled && !req.url?.endsWith('/session')) return;
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    res.on('error', () => undefined);
    req.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = req;
      const each = { method, url, headers, rawHeaders, body: Buffer.concat(chunks), req, res };
      received.push(each);
      const isCreate = method === 'POST' && url === `${basePath}/session`;
      ((isCreate ? onCreate : onCommand) ?? usual)(each);
    });
  });
  server.on('upgrade', (req, socket) => {
    socket.on('error', () => undefined);
    upgrades.push({ req, socket });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const name = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new SvcClient({ url: hub.url, credential: hub.nodeKey });
  const boot = randomUUID();
  let sequence = 0;
  const register = async () => {
    await client.call('registerNode', {
      body: {
        url: `http://${name()}`,
        version: 'test',
        basePath,
        devices: udids.map((udid) => ({ udid, platform: 'Fake' })),
        sessions: {
          boot,
          sequence: sequence++,
          running: [...running].map(([id, udid]) => ({ id, udid })),
          ended: [],
        },
      },
    });
  };
  await register();
  const timer = setInterval(() => void register().catch(() => undefined), 5_000);
  const vanish = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://${name()}`,
    name: name(),
    received,
    upgrades,
    sockets,
    register,
    onCreate: (answer) => {
      onCreate = answer;
    },
    onCommand: (answer) => {
      onCommand = answer;
    },
    stall: () => {
      isStalled = true;
    },
    vanish,
    close: () => {
      clearInterval(timer);
      server.close();
      vanish();
    },
  };
}
