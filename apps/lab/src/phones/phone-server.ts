import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { PhoneScreen } from './screen/phone-screen.ts';

/** An HTTP server of a phone. It gets connections through `accept`, and listens on this host only if asked to. */
class PhoneServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(listener: RequestListener) {
    this.#server = createServer(listener);
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  accept(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  /** Listens on a free port of loopback, unless it does already. @returns the port */
  async listen(): Promise<number> {
    if (!this.#server.listening)
      await new Promise<void>((listens) => this.#server.listen(0, '127.0.0.1', listens));
    return (this.#server.address() as { port: number }).port;
  }

  /** Ends all connections. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.drop();
  }
}

/** Answer to a command. A value without a session id has that of the request. */
export type Answer =
  | { readonly value: unknown; readonly sessionId?: string }
  | { readonly error: string; readonly message: string; readonly sessionId?: never };

export interface Command {
  /** Method and path after the session id, such as `POST /element`. */
  readonly name: string;
  /** Session id of the path, or an empty string. */
  readonly session: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies come from the driver, which is not what is tested
  readonly body: any;
}

/** A server of a phone that answers WebDriver commands with JSON. */
export class WebDriverServer extends PhoneServer {
  /** Method and path of each request. */
  readonly requests: string[];

  /** @param answer returns undefined if there is no such command */
  constructor(answer: (command: Command) => Answer | undefined) {
    const requests: string[] = [];
    super(async (request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0]?.replace(/\/$/, '') ?? '';
      requests.push(`${request.method} ${path}`);
      const [, session = '', rest = path] = /^\/session\/([^/]+)(.*)$/.exec(path) ?? [];
      const text = await textOf(request);
      const body = text === '' ? {} : JSON.parse(text);
      const found = answer({ name: `${request.method} ${rest}`, session, body });
      respond(response, session, found ?? { error: 'unknown command', message: path });
    });
    this.requests = requests;
  }
}

/** @returns the body, or as much as has arrived when the connection ended */
async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
  } catch {
    return '';
  }
  return text;
}

function respond(response: ServerResponse, session: string, answer: Answer): void {
  const value = 'error' in answer ? { ...answer, stacktrace: '' } : answer.value;
  const json = JSON.stringify({ sessionId: (answer.sessionId ?? session) || null, value });
  response.writeHead('error' in answer ? 404 : 200, {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(json),
  });
  response.end(json);
}

/** A server of a phone that sends its screen as MJPEG to each connection, whatever the request is. */
export class MjpegServer extends PhoneServer {
  constructor(screen: PhoneScreen) {
    super((_request, response) => {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=--BoundaryString' });
      const stop = screen.watch(() => {
        const jpeg = screen.picture('jpeg');
        response.write(
          `--BoundaryString\r\nContent-type: image/jpg\r\nContent-Length: ${jpeg.length}\r\n\r\n`,
        );
        response.write(jpeg);
        response.write('\r\n');
      });
      response.once('close', stop);
    });
  }
}
