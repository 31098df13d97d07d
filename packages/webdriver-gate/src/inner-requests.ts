import { type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import { markInner } from './request-origin.ts';

/** A request that this process sends to its own server for a client of another protocol, such as MCP. */
export interface InnerRequest {
  readonly method: string;
  /** Path including the base path. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Body as JSON text, or undefined for a request without a body. */
  readonly body: string | undefined;
  /** Remote address of the client's socket. The server gets it as the remote address of this request. */
  readonly peer: string | undefined;
  /** Signal that is aborted when the client disconnects. */
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

/**
 * Sends a request to the server of this process over an in-memory connection, so that it is checked like any other
 * request. Rejects with `InnerResponseTooLarge` if the response has more than `maxBytes` bytes.
 */
export function sendInner(server: Server, sent: InnerRequest, maxBytes: number): Promise<InnerResponse> {
  const { method, path, headers, body, peer, signal } = sent;
  return new Promise((done, failed) => {
    const [client, accepted] = connected(peer);
    markInner(accepted);
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

/**
 * @returns the client's end and the server's end of an in-memory connection. The `remoteAddress` of the server's end is
 * `peer`.
 */
function connected(peer: string | undefined): [End, End] {
  const client = new End(undefined);
  const accepted = new End(peer);
  client.other = accepted;
  accepted.other = client;
  return [client, accepted];
}

/** One end of an in-memory connection. Data that is written to one end is read from the other. */
class End extends Duplex {
  other: End | undefined;
  readonly remoteAddress: string | undefined;
  /** Callback of the other end's last write, to call when this end reads again. Undefined if no write waits. */
  #more: (() => void) | undefined;

  constructor(remoteAddress: string | undefined) {
    super();
    this.remoteAddress = remoteAddress;
  }

  /** Does nothing. The method exists because Node.js and Appium call it on every socket. */
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
    // Destroy the other end too. But if this end has finished writing, the other end may still have to read the last
    // bytes.
    if (other !== undefined && !this.writableFinished) other.destroy();
  }

  #receive(chunk: Buffer, done: () => void): void {
    if (this.push(chunk)) done();
    else this.#more = done;
  }
}
