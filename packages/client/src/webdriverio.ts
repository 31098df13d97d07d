import type { CommandHeaders } from './command-headers.ts';

/** Options for WebdriverIO's `remote`, `attach`, `multiremote` or `wdio.conf` (see `webdriverioOptions`). */
export interface WebdriverioOptions {
  readonly headers: Record<string, string>;
  readonly transformRequest: (request: RequestInit) => RequestInit;
}

/**
 * The create, every command and the BiDi upgrade read `headers` when they start, so its fields answer what is
 * good at that moment. The test runner copies its configuration, and with it the values of that moment;
 * `transformRequest` outlives the copy.
 */
export function webdriverioOptions(source: CommandHeaders): WebdriverioOptions {
  const headers = {};
  for (const name of source.names) {
    Object.defineProperty(headers, name, { enumerable: true, get: () => source.current()[name] });
  }
  return {
    headers,
    transformRequest: (request) => {
      const all = new Headers(request.headers);
      for (const [name, value] of Object.entries(source.current())) all.set(name, value);
      // A create carries credentials: Appium is not to log it (specification 5.5.2).
      if (isCreate(request)) all.set('x-auto-is-sensitive', 'true');
      return { ...request, headers: all };
    },
  };
}

function isCreate({ method, body }: RequestInit): boolean {
  return method === 'POST' && typeof body === 'string' && body.startsWith('{"capabilities":');
}
