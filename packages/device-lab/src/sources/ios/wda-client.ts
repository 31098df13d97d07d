import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/**
 * Thrown if a WebDriverAgent did not carry out a request. The message contains neither its address nor what was sent,
 * because messages are logged.
 */
export class WdaFailure extends Error {
  /** Whether the WebDriverAgent does not know the session of the request. */
  readonly isSessionGone: boolean;

  constructor(message: string, isSessionGone = false) {
    super(message);
    this.name = 'WdaFailure';
    this.isSessionGone = isSessionGone;
  }
}

interface WdaRequest {
  readonly method: 'GET' | 'POST';
  /** Path below the address of the WebDriverAgent. */
  readonly path: string;
  readonly body?: object;
  readonly timeoutMs: number;
  /** Maximum size of the response in bytes. */
  readonly largest: number;
  readonly signal?: AbortSignal;
}

/**
 * Sends one request to a WebDriverAgent, directly and never through a proxy. Redirects are not followed.
 * @returns `value` of the response. Rejects with `WdaFailure`.
 */
export async function askWda(
  wdaUrl: string,
  { method, path, body, timeoutMs, largest, signal }: WdaRequest,
): Promise<unknown> {
  const url = new URL(`${wdaUrl}${path}`);
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const limit = AbortSignal.timeout(timeoutMs);
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method,
      agent: false,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      headers:
        sent === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) },
    });
    // Errors of sockets contain the address, so only their code is passed on.
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new WdaFailure(`WebDriverAgent did not respond: ${error.code ?? 'failed'}`));
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= largest) return chunks.push(chunk);
        reject(new WdaFailure('the response of WebDriverAgent is too large'));
        return request.destroy();
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    request.end(sent);
  });
  const value = valueIn(text);
  if (status === 200) return value;
  const { error } = (value ?? {}) as { error?: unknown };
  const code = typeof error === 'string' && /^[a-z ]{1,40}$/.test(error) ? error : `status ${status}`;
  throw new WdaFailure(`WebDriverAgent: ${code}`, code === 'invalid session id');
}

function valueIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { value?: unknown }).value;
  } catch {
    throw new WdaFailure('the response of WebDriverAgent is not JSON');
  }
}
