import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';

const PATIENCE_MS = 5_000;
const LARGEST = 256 * 1024;

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Certificate authorities in PEM that replace those of the system, or null to use those of the system. */
  readonly ca?: string | null;
}

/** Sends one request on its own connection and follows no redirect. Rejects if there is no response within 5 s. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, json, ca }: Question = {},
): Promise<Answered> {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const own = body === undefined ? {} : { 'content-type': 'application/json' };
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((answered, failed) => {
    const options = { method, headers: { ...own, ...headers }, agent: false, ...(ca == null ? {} : { ca }) };
    const sent = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (text.length > LARGEST) sent.destroy(new Error('the answer is too long'));
      });
      answer.once('error', failed);
      answer.once('end', () =>
        answered({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
      );
    });
    const timer = setTimeout(() => sent.destroy(new Error('no answer in 5 s')), PATIENCE_MS);
    sent.once('close', () => clearTimeout(timer));
    sent.once('error', failed);
    // Closes the socket of an upgrade that the server should have refused, and returns the status, so that the check
    // can report it.
    sent.once('upgrade', (answer, socket) => {
      socket.destroy();
      answered({ status: answer.statusCode ?? 0, headers: answer.headers, body: '' });
    });
    sent.end(body);
  });
}

/** @returns the `error` field of an svc error, or undefined if the body is not one */
export function errorOf({ body }: Answered): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
