import type { CommandHeaders } from './command-headers.ts';
import { SENSITIVE_HEADERS } from './wire.ts';

/** What is used of selenium-webdriver's `Request`. */
interface SeleniumRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Map<string, string>;
  readonly data?: unknown;
}
// biome-ignore lint/suspicious/noExplicitAny: a mixin's base takes whatever its own constructor takes.
type HttpClientClass = new (...args: any[]) => { send(request: any): Promise<any> };

/**
 * The class given, `HttpClient` of `selenium-webdriver/http`, sending the headers with every command. Each
 * command waits for a renewal that is due. `fill` answers what is sent in place of a create's body. Sockets are not its
 * business: selenium opens BiDi's without headers, so a session with `webSocketUrl` goes through `startProxy`.
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
      // A create carries credentials: Appium is not to log it (specification 5.5.2).
      headers.set(SENSITIVE_HEADERS[0], 'true');
      return super.send(changed(request, { headers, data: fill(request.data) }));
    }
  };
}

/** A copy: selenium's own log prints the request it made. */
function changed(request: SeleniumRequest, parts: Partial<SeleniumRequest>): SeleniumRequest {
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, parts);
}
