import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { afterEach, describe, expect, it } from 'vitest';
import type { ExpressApp } from '../src/appium-types.ts';
import { makeForExpress } from '../src/repairs/express-prototypes.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type Express = ExpressApp & Handler & { use(handler: Handler): void };

/** Express in the version that Appium uses. */
const express = createRequire(
  createRequire(createRequire(import.meta.url).resolve('appium')).resolve('@appium/base-driver'),
)('express') as () => Express;

setFlagsFromString('--allow-natives-syntax');
const haveSameMap = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  ...objects: object[]
) => boolean;

interface Seen {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /**
   * Prototypes of the request and the response when the server has created them and Express has not changed them yet.
   */
  readonly born: readonly (object | null)[];
}

let server: Server;
afterEach(() => server?.close());

/**
 * Sends requests to an Express application.
 * @returns the request and response objects that Express got, with the prototypes that they had before
 */
async function ask(app: Express, times: number): Promise<Seen[]> {
  const seen: Seen[] = [];
  app.use((req, res) => {
    Object.assign(req, { noted: true });
    Object.assign(res, { noted: true });
    res.end('answered');
  });
  server.on('request', (req, res) => {
    seen.push({ req, res, born: [req, res].map((each) => Object.getPrototypeOf(each)) });
    app(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let time = 0; time < times; time++) expect(await (await fetch(url)).text()).toBe('answered');
  return seen;
}

describe('what the server makes for Express (spec 5.7)', () => {
  it('a request made for Express has the prototypes of the application from the start, and what it had before', async () => {
    server = createServer();
    const app = express();
    const before = { request: app.request, response: app.response };
    makeForExpress(server, app);
    const [{ req, res, born }] = (await ask(app, 1)) as [Seen];
    expect(born[0]).toBe(app.request);
    expect(born[1]).toBe(app.response);
    expect(Object.getPrototypeOf(app.request)).toBe(before.request);
    expect(Object.getPrototypeOf(app.response)).toBe(before.response);
    expect(req).toBeInstanceOf(IncomingMessage);
    expect(res).toBeInstanceOf(ServerResponse);
  });

  it('a request made for Express is of one kind to V8, whatever is noted on it', async () => {
    server = createServer();
    const app = express();
    makeForExpress(server, app);
    const [, one, other] = (await ask(app, 3)) as [Seen, Seen, Seen];
    expect(haveSameMap(one.req, other.req)).toBe(true);
    expect(haveSameMap(one.res, other.res)).toBe(true);
  });

  it('a request made for Express stays as it is on a server with classes of its own, or of another kind', async () => {
    class OwnRequest extends IncomingMessage {}
    server = createServer({ IncomingMessage: OwnRequest });
    const app = express();
    const { request } = app;
    makeForExpress(server, app);
    const [{ born }] = (await ask(app, 1)) as [Seen];
    expect(born[0]).toBe(OwnRequest.prototype);
    expect(app.request).toBe(request);
    expect(born[1]).toBe(app.response);

    const another = Object.setPrototypeOf(createServer(), Object.create(Object.getPrototypeOf(server)));
    const untouched = { request: {}, response: {} };
    const { ...wanted } = untouched;
    makeForExpress(another, untouched);
    expect(untouched.request).toBe(wanted.request);
    expect(untouched.response).toBe(wanted.response);
  });
});
