import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** A response that was read completely. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body, or undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
  readonly body: any;
}

export interface CallOptions {
  /** Headers that carry a credential. */
  readonly as?: OutgoingHttpHeaders | undefined;
  /** Sent as the JSON body. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: string | Uint8Array | undefined;
  /** Headers in addition to `origin`, which is the server's own origin unless it is set here; `null` omits a header. */
  readonly headers?: Readonly<Record<string, string | number | string[] | null | undefined>> | undefined;
  /** Address of this machine from which the request is sent, such as `127.0.0.2`. */
  readonly localAddress?: string | undefined;
}

/** Content types of a single JSON value, which do not include JSON lines. */
const JSON_TYPE = /^application\/(?:[\w-]+\+)?json\b/;

/** If a request has no response within this time, it counts as hanging. */
const TIMEOUT_MS = 10_000;

/** Sends one HTTP request and adds only `origin` and, for `json`, the content type. */
export function call(
  url: string,
  method: string,
  path: string,
  { as, json, body, localAddress, headers: { origin = url, ...headers } = {} }: CallOptions = {},
): Promise<HttpResponse> {
  const all = { ...as, ...headers, ...(origin === null ? {} : { origin }) } as OutgoingHttpHeaders;
  if (json !== undefined) all['content-type'] ??= 'application/json';
  const payload = json === undefined ? body : JSON.stringify(json);
  const isChunked = all['transfer-encoding'] !== undefined;
  if (payload !== undefined && !isChunked) all['content-length'] ??= Buffer.byteLength(payload);
  return new Promise((done, failed) => {
    const { hostname, port } = new URL(url);
    // Uses a new connection, so that the server does not read the remaining bytes of an unfinished request as the next
    // request.
    const from = localAddress === undefined ? {} : { localAddress };
    const to = {
      hostname,
      port,
      method,
      path,
      headers: all,
      timeout: TIMEOUT_MS,
      agent: false,
      ...from,
    } as const;
    const sent = request(to, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('error', failed);
      answer.once('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        const isJson = JSON_TYPE.test(answer.headers['content-type'] ?? '') && text !== '';
        done({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.once('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
    sent.once('error', failed);
    sent.end(payload);
  });
}
