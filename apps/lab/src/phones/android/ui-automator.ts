import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DrivenPhone } from './driven-phone.ts';
import { commandOf, type Handler } from './ui-automator-commands.ts';

/** Ports of the phone on which the server and its MJPEG stream listen. */
const SERVER_PORT = 6790;
const MJPEG_PORT = 7810;

/** Time (ms) between the answer to the end of a session and the end of the server. */
const END_MS = 50;

/**
 * The server that the UiAutomator2 driver installs on a phone, which the driver reaches through `adb forward`. It
 * listens on no port of this host: connections are passed to it with `accept`.
 */
export class UiAutomator {
  isRunning = false;
  /** Ids of its sessions. */
  readonly sessions = new Set<string>();
  /** Method and path of each request. */
  readonly requests: string[] = [];
  readonly typed: string[] = [];
  /** Ids of the elements that were clicked. */
  readonly clicks: string[] = [];
  /** Bodies of gestures and actions. */
  readonly actions: string[] = [];
  readonly #phone: DrivenPhone;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #mjpeg = createServer((_request, response) => this.#stream(response));

  constructor(phone: DrivenPhone) {
    this.#phone = phone;
  }

  /** Handles a connection to a port of the phone. @returns false if nothing listens there */
  accept(port: number, socket: Socket): boolean {
    if (!this.isRunning) return false;
    const server = port === SERVER_PORT ? this.#server : port === MJPEG_PORT ? this.#mjpeg : undefined;
    if (server === undefined) return false;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    server.emit('connection', socket);
    return true;
  }

  stop(): void {
    this.isRunning = false;
    this.sessions.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    try {
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
    } catch {
      return;
    }
    const path = (request.url ?? '/').split('?', 1)[0]?.replace(/\/$/, '') ?? '';
    this.requests.push(`${request.method} ${path}`);
    const body = text === '' ? {} : JSON.parse(text);
    const [, session = '', command = ''] = /^\/session\/([^/]+)(.*)$/.exec(path) ?? [];
    const handler: Handler | undefined =
      session === ''
        ? this.#withoutSession(`${request.method} ${path}`)
        : commandOf(`${request.method} ${command}`);
    const answer = handler?.(this.#phone, body) ?? { error: 'unknown command', message: path };
    const failed = 'error' in answer;
    const value = failed ? { ...answer, stacktrace: '' } : answer.value;
    const json = JSON.stringify({ sessionId: session || (answer.sessionId ?? null), value });
    response.writeHead(failed ? 404 : 200, {
      'content-type': 'application/json; charset=UTF-8',
      'content-length': Buffer.byteLength(json),
    });
    response.end(json);
    if (request.method === 'DELETE' && session !== '' && command === '') this.#end(session);
  }

  #withoutSession(request: string): Handler | undefined {
    if (request === 'GET /status') return () => ({ value: { ready: true, message: 'ready' } });
    if (request === 'GET /sessions') return () => ({ value: [...this.sessions].map((id) => ({ id })) });
    if (request !== 'POST /session') return undefined;
    return (_phone, { capabilities }) => {
      const sessionId = randomUUID();
      this.sessions.add(sessionId);
      return { sessionId, value: { sessionId, capabilities: capabilities?.firstMatch?.[0] ?? {} } };
    };
  }

  /** The real server ends with its session, shortly after the answer. */
  #end(session: string): void {
    this.sessions.delete(session);
    setTimeout(() => {
      if (this.sessions.size === 0) this.#phone.stopInstrumentation();
    }, END_MS);
  }

  /** Like the real server, sends pictures to each connection, whatever the request is. */
  #stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--BoundaryString' });
    const stop = this.#phone.screen.watch(() => {
      const jpeg = this.#phone.screen.picture('jpeg');
      response.write(`--BoundaryString\r\nContent-type: image/jpg\r\nContent-Length: ${jpeg.length}\r\n\r\n`);
      response.write(jpeg);
      response.write('\r\n');
    });
    response.once('close', stop);
  }
}
