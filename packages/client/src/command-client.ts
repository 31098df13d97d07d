import type { CommandHeaders } from './command-headers.ts';
import { SENSITIVE_HEADERS } from './wire.ts';

/** Part of selenium-webdriver's `Request` class that this module uses. */
interface SeleniumRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Map<string, string>;
  readonly data?: unknown;
}
// biome-ignore lint/suspicious/noExplicitAny: the base class of a mixin accepts whatever its own constructor accepts.
type HttpClientClass = new (...args: any[]) => { send(request: any): Promise<any> };

/**
 * @returns a subclass of `HttpClient` of `selenium-webdriver/http` that sends the given credential headers with every
 * command
 *
 * If the token has to be renewed, a command waits for the new token. `fill` gets the body of a create-session request
 * and returns the body to send instead. The BiDi WebSocket gets no headers, because selenium opens it without any. For
 * sessions with `webSocketUrl`, `createDriver` therefore connects selenium to the proxy that `startProxy` starts.
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
      // A create-session request carries credentials in its body, so this header asks Appium not to log it
      // (specification 5.5.2).
      headers.set(SENSITIVE_HEADERS.own, 'true');
      return super.send(changed(request, { headers, data: fill(request.data) }));
    }
  };
}

/** Copies the request with some parts changed and leaves the original unchanged, because selenium logs the original. */
function changed(request: SeleniumRequest, parts: Partial<SeleniumRequest>): SeleniumRequest {
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, parts);
}
