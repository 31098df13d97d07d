import type { CommandHeaders } from './command-headers.ts';

/** What is used of selenium-webdriver's `Request`. */
interface SeleniumRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Map<string, string>;
}
// biome-ignore lint/suspicious/noExplicitAny: a mixin's base takes whatever its own constructor takes.
type HttpClientClass = new (...args: any[]) => { send(request: any): Promise<any> };

/**
 * The class given, `HttpClient` of `selenium-webdriver/http`, sending the headers with every command. Each
 * command waits for a renewal that is due. Sockets are not its business: selenium opens BiDi's without headers,
 * so a session with `webSocketUrl` goes through `startProxy` of `@svc/client/proxy`.
 */
export function withCommandHeaders<T extends HttpClientClass>(HttpClient: T, source: CommandHeaders): T {
  return class extends HttpClient {
    override async send(request: SeleniumRequest) {
      for (const [name, value] of Object.entries(await source.ready())) request.headers.set(name, value);
      // A create carries credentials: Appium is not to log it (specification 5.5.2).
      if (request.path === '/session') request.headers.set('x-auto-is-sensitive', 'true');
      return super.send(request);
    }
  };
}
