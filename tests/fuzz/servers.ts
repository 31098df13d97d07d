import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { Refusal } from '@svc/auth-core';
import { checkingGate } from '@svc/webdriver-gate/testing';

const fromAppium = createRequire(
  createRequire(createRequire(import.meta.url).resolve('@svc/lab/package.json')).resolve('appium'),
);
const load = (name: string) => import(pathToFileURL(fromAppium.resolve(name)).href);

/** The only session, and the value of the header that identifies its owner. */
export const VICTIM = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
export const OWN = '5b0a1c3e-77aa-4d2b-8f10-1c2d3e4f5a6b';
const OWNERS: Readonly<Record<string, string>> = { [VICTIM]: 'ana', [OWN]: 'bob' };

interface Reached {
  readonly command: string;
  readonly args: readonly unknown[];
}

export interface FuzzServer {
  readonly url: string;
  /** Everything that reached the driver, and everything that Appium logged. */
  readonly reached: Reached[];
  readonly logged: string[];
  stop(): Promise<void>;
}

/**
 * Starts Appium's own Express application and routes in this process, with a driver that only records what reaches it.
 */
export async function startRoutes(base: string, { gated }: { gated: boolean }): Promise<FuzzServer> {
  const { server: startServer, routeConfiguringFunction } = await load('@appium/base-driver');
  const { logger } = await load('@appium/support');
  const reached: Reached[] = [];
  const logged: string[] = [];
  const driver = {
    sessionExists: (id: string) => Object.hasOwn(OWNERS, id),
    proxyActive: () => false,
    log: logger.getLogger('fuzz'),
    executeCommand: async (command: string, ...args: unknown[]) => {
      reached.push({ command, args });
      return { reached: command, session: args.at(-1) };
    },
  };
  const log = logger.getLogger('fuzz').unwrap();
  log.level = 'silent';
  const collect = ({ message }: { message: string }) => void logged.push(message);
  log.on('log', collect);
  const server: Server = await startServer({
    routeConfiguringFunction: routeConfiguringFunction(driver),
    port: 0,
    hostname: '127.0.0.1',
    basePath: base,
    allowCors: false,
    cliArgs: {},
    serverUpdaters: gated ? [async (_app: unknown, http: Server) => place(http, base)] : [],
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached,
    logged,
    stop: async () => {
      log.off('log', collect);
      server.closeAllConnections();
      await server.close();
    },
  };
}

/** Installs the gate alone, without the tripwire and the log filters. */
function place(http: Server, base: string): void {
  const inner = http.listeners('request') as RequestListener[];
  http.removeAllListeners('request');
  const request = (req: IncomingMessage, res: ServerResponse) => {
    for (const listener of inner) listener.call(http, req, res as never);
  };
  const site = {
    request: (_req: unknown, res: ServerResponse) => void res.writeHead(204).end(),
    upgrade: () => undefined,
  };
  const callers: Record<string, object> = Object.fromEntries(
    ['ana', 'bob'].map((id) => [
      id,
      {
        account: { id, role: 'Member', status: 'Active' },
        credential: { kind: 'key', id },
        scopes: 0,
        expiresAt: null,
      },
    ]),
  );
  const refuse = () => Promise.reject(new Refusal('invalid credentials', 'unknown'));
  const gate = checkingGate(refuse, {
    basePath: base,
    authenticator: {
      authenticateCommand: ({ headers }) => {
        const token = headers['x-svc-token'] as string | undefined;
        if (token === undefined) return undefined;
        const caller = callers[token];
        if (caller === undefined) throw new Refusal('invalid credentials', 'unknown');
        return caller as never;
      },
    },
    connections: { add: () => ({ current: () => null, expire() {}, forget() {} }) },
    lab: {
      sessions: { ownerOf: (id) => OWNERS[id], findIgnoringCase: (id) => id },
      onEnd: () => undefined,
    },
    upstream: { request, upgrade: () => undefined },
    site,
  });
  http.on('request', gate.request);
}

/** Value instead of a status if there was no response in time. */
const HUNG = -1;
const KEPT_MS = 1000;

/** A client with one kept-alive connection that sends bytes and reads one response. */
export class RawClient {
  readonly #port: number;
  readonly #patienceMs: number;
  #socket: Socket | undefined;

  constructor(url: string, patienceMs: number) {
    this.#port = Number(new URL(url).port);
    this.#patienceMs = patienceMs;
  }

  /** @returns status and body; the status is 0 if the connection was closed, or negative if nothing arrived */
  async send(head: string, body: Buffer, isHead: boolean): Promise<{ status: number; body: string }> {
    // Node.js responds to a request that it cannot parse only on a new connection; on a connection that is kept alive,
    // it sends nothing.
    if (!/^[A-Z]+ (?:\/|https?:\/\/\w)/.test(head)) this.close();
    const wasKept = this.#socket !== undefined;
    const answer = await this.#sendOnce(head, body, isHead, wasKept ? KEPT_MS : this.#patienceMs);
    return answer.status <= 0 && wasKept ? this.#sendOnce(head, body, isHead, this.#patienceMs) : answer;
  }

  async #sendOnce(
    head: string,
    body: Buffer,
    isHead: boolean,
    patienceMs: number,
  ): Promise<{ status: number; body: string }> {
    const socket = await this.#connection();
    let received = Buffer.alloc(0);
    return new Promise((done) => {
      const timer = setTimeout(() => settle(HUNG, '', false), patienceMs);
      const settle = (status: number, text: string, keep: boolean) => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
        socket.on('error', () => undefined);
        if (!keep) {
          socket.destroy();
          this.#socket = undefined;
        }
        done({ status, body: text });
      };
      socket.on('error', () => undefined);
      socket.on('close', () => settle(statusOf(received), '', false));
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        const answer = whole(received, isHead);
        if (answer !== undefined) settle(answer.status, answer.body, answer.keep);
      });
      socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #connection(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.#port, '127.0.0.1');
    await once(socket, 'connect');
    this.#socket = socket;
    return socket;
  }
}

const statusOf = (text: Buffer) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text.toString('latin1'))?.[1] ?? 0);

function whole(received: Buffer, isHead: boolean) {
  const text = received.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const status = statusOf(received);
  // After a 100, the final response follows.
  if (status === 100) return whole(received.subarray(end + 4), isHead);
  const length = isHead
    ? 0
    : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? (status === 204 ? 0 : Number.NaN));
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    return text.endsWith('\r\n0\r\n\r\n') ? { status, body: text.slice(end + 4), keep: false } : undefined;
  }
  // Without length and chunks, the body ends with the connection.
  if (Number.isNaN(length) || text.length < end + 4 + length) return undefined;
  return { status, body: text.slice(end + 4, end + 4 + length), keep: !/\r\nconnection: *close/i.test(head) };
}
