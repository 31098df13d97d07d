import type { CommandHeaders } from './command-headers.ts';
import { SENSITIVE_HEADERS } from './wire.ts';

/** The part of selenium-webdriver's `Request` that is used here. */
interface SeleniumRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Map<string, string>;
  readonly data?: unknown;
}
// biome-ignore lint/suspicious/noExplicitAny: the base class of a mixin accepts whatever its own constructor accepts.
type HttpClientClass = new (...args: any[]) => { send(request: any): Promise<any> };

/**
 * @returns a subclass of `HttpClient` of `selenium-webdriver/http` that sends the headers with every command
 *
 * Each command waits for a renewal that is due. `fill` returns the body to send instead of a create's body. Sockets are
 * not covered, because selenium opens BiDi's without headers; a session with `webSocketUrl` goes through `startProxy`.
 */
export function withCommandHeaders<T extends HttpClientClass>(
  HttpClient: T,
  source: CommandHeaders,
  fill: (body: unknown) => unknown = (body) => body,
): T {
  return class extends HttpClient {
    override async send(request: SeleniumRequest) {
      const headers = new Map([...request.headers, ...Object.entries(await source.ready())]);
      if (request.path !== '/session') return super.send(changed(request, { headers }));
      // A create carries credentials, so Appium must not log it (specification 5.5.2).
      headers.set(SENSITIVE_HEADERS.own, 'true');
      return super.send(changed(request, { headers, data: fill(request.data) }));
    }
  };
}

/** Copies the request, because selenium's own log prints the one it created. */
function changed(request: SeleniumRequest, parts: Partial<SeleniumRequest>): SeleniumRequest {
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, parts);
}
