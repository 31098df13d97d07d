import { connect } from 'node:net';

export interface RawResponse {
  readonly status: number;
  /** The headers as sent, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/**
 * Sends a request with exactly this target, which HTTP clients would change. The connection is closed after the
 * response. The caller has to encode a chunked body.
 */
export async function rawRequest(
  url: string,
  target: string,
  { method = 'GET', headers = {}, body = '' }: RawRequest = {},
): Promise<RawResponse> {
  const length = Buffer.byteLength(body);
  const all = {
    Host: new URL(url).host,
    Connection: 'close',
    ...(length > 0 && headers['Transfer-Encoding'] === undefined ? { 'Content-Length': String(length) } : {}),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return parseAnswer(await exchange(url, Buffer.concat([head, Buffer.from(body)])));
}

/**
 * Writes the bytes to a new connection.
 * @returns everything that is received until the other side closes the connection
 */
export function exchange(url: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((done, failed) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer in 20 s')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', failed);
    socket.once('close', () => done(Buffer.concat(chunks).toString('latin1')));
  });
}

function parseAnswer(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  return {
    status: Number(first.split(' ')[1]),
    headers: lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    }),
    body: text.slice(end + 4),
  };
}
