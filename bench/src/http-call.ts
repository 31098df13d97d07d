import { type Agent, request } from 'node:http';

type Headers = Readonly<Record<string, string>>;
export type Call = (method: string, path: string, sent?: Sent) => Promise<HttpResponse>;

interface Sent {
  readonly headers?: Headers;
  readonly json?: unknown;
}

interface HttpResponse {
  /** Milliseconds. */
  readonly took: number;
  readonly status: number;
  readonly text: string;
}

/** Sends requests to one server over the agent's connections. */
export function callerOf(url: string, agent: Agent): Call {
  return (method, path, { headers = {}, json } = {}) =>
    new Promise((done, failed) => {
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      const began = performance.now();
      const asking = request(`${url}${path}`, { method, agent, headers: { ...headers, ...type } });
      asking.once('error', failed);
      asking.once('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () =>
          done({
            took: performance.now() - began,
            status: answer.statusCode ?? 0,
            text,
          }),
        );
      });
      asking.end(json === undefined ? undefined : JSON.stringify(json));
    });
}
