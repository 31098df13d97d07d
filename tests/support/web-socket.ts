import { once } from 'node:events';
import WebSocket from 'ws';

/** Outcome of an upgrade: `open`, or the status, headers and body of the refusal. */
export interface Upgrade {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Set if the upgrade was accepted. */
  readonly socket?: WebSocket;
}

/** Opens a WebSocket whose request target is sent byte for byte. */
export function upgrade(
  url: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Upgrade> {
  return new Promise((done, failed) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), {
      headers,
      handshakeTimeout: 20_000,
      finishRequest: (request) => {
        (request as unknown as { path: string }).path = target;
        request.end();
      },
    });
    socket.once('open', () => done({ status: 101, headers: {}, body: '', socket }));
    socket.once('error', failed);
    socket.once('unexpected-response', (_request, answer) => {
      socket.off('error', failed);
      let body = '';
      answer.setEncoding('latin1').on('data', (text: string) => {
        body += text;
      });
      answer.once('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
  });
}

/** Sends one BiDi command; rejects if the socket is closed without a response. */
export async function bidi(
  socket: WebSocket,
  method: string,
  params: object = {},
): Promise<{ type: string; result?: unknown; error?: string }> {
  const answered = new AbortController();
  const { signal } = answered;
  const closed = once(socket, 'close', { signal }).then(([code]) => {
    throw new Error(`closed with ${code}`);
  });
  closed.catch(() => undefined);
  socket.send(JSON.stringify({ id: 1, method, params }));
  try {
    const [data] = (await Promise.race([once(socket, 'message', { signal }), closed])) as [Buffer];
    return JSON.parse(data.toString());
  } finally {
    answered.abort();
  }
}

export async function close(socket: WebSocket | undefined): Promise<void> {
  if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
  const closed = once(socket, 'close');
  socket.close();
  await closed;
}
