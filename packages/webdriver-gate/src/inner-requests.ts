import { type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import { Duplex } from 'node:stream';

/** A request that this process sends to its own server, for a client that asked for it by another protocol. */
export interface InnerRequest {
  readonly method: string;
  /** Path with the base path. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Body as JSON, or undefined for none. */
  readonly body: string | undefined;
  /** Remote address of the client's socket, which becomes that of the request. */
  readonly peer: string | undefined;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface InnerResponse {
  readonly status: number;
  readonly text: string;
}

/** Thrown if a response is larger than the caller accepts. */
export class InnerResponseTooLarge extends Error {
  override name = 'InnerResponseTooLarge';
}

const inner = new WeakSet<object>();

/** @returns whether the request on this socket was sent by `sendInner` for an agent */
export function isInner(socket: object): boolean {
  return inner.has(socket);
}

/**
 * Sends a request to the server of this process over a connection in memory, so that it passes the gate like the request
 * of any client. Rejects with `InnerResponseTooLarge` if the response has more than `maxBytes` bytes.
 */
export function sendInner(server: Server, sent: InnerRequest, maxBytes: number): Promise<InnerResponse> {
  const { method, path, headers, body, peer, signal } = sent;
  return new Promise((done, failed) => {
    const [client, accepted] = connected(peer);
    inner.add(accepted);
    const outgoing = request({
      createConnection: () => client as never,
      method,
      path,
      headers: {
        host: 'localhost',
        connection: 'close',
        ...headers,
        ...(body === undefined ? {} : jsonOf(body)),
      },
      signal,
    });
    outgoing.once('error', failed);
    outgoing.once('response', (response) => {
      read(response, maxBytes).then((text) => done({ status: response.statusCode ?? 0, text }), failed);
    });
    server.emit(isSecure(server) ? 'secureConnection' : 'connection', accepted);
    outgoing.end(body);
  });
}

function jsonOf(body: string): IncomingHttpHeaders {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
}

function isSecure(server: Server): boolean {
  const { isSecure: asAppium } = server as Server & { isSecure?(): boolean };
  return asAppium?.call(server) === true;
}

async function read(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.destroy();
      throw new InnerResponseTooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @returns the two ends of a connection in memory: the client's, and the server's with the client's address */
function connected(peer: string | undefined): [End, End] {
  const client = new End(undefined);
  const accepted = new End(peer);
  client.other = accepted;
  accepted.other = client;
  return [client, accepted];
}

/** One end of a connection in memory. What is written to it is read from the other end. */
class End extends Duplex {
  other: End | undefined;
  readonly remoteAddress: string | undefined;
  /** Called when the other end may send more. */
  #more: (() => void) | undefined;

  constructor(remoteAddress: string | undefined) {
    super();
    this.remoteAddress = remoteAddress;
  }

  /** Does nothing. Node.js and Appium call these methods of sockets. */
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {
    const more = this.#more;
    this.#more = undefined;
    more?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.other === undefined || this.other.destroyed) done();
    else this.other.#receive(chunk, done);
  }

  override _final(done: () => void): void {
    this.other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this;
    this.other = undefined;
    done(error);
    // The other end closes like a socket whose peer has disconnected, unless it still reads the last bytes.
    if (other !== undefined && !this.writableFinished) other.destroy();
  }

  #receive(chunk: Buffer, done: () => void): void {
    if (this.push(chunk)) done();
    else this.#more = done;
  }
}
