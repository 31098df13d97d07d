import { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ExpressApp } from './appium-types.ts';

/**
 * Has the server make its requests and answers with the prototypes Express would give each of them later. Changed
 * later, they make V8 throw away what it has learned: every request is then of a kind never seen before, and that is
 * about a quarter of what a command costs bare Appium (docs/decisions/0007).
 *
 * Node keeps the classes given to `http.createServer({IncomingMessage, ServerResponse})` on the server, but does not
 * say where. Where they are not found, or are not Node's own (TLS by spdy), all stays as it is: nothing but speed
 * depends on it.
 */
export function makeForExpress(server: Server, app: ExpressApp): void {
  if (Object.getPrototypeOf(server) !== Server.prototype) return;
  app.request = replaced(server, IncomingMessage, app.request);
  app.response = replaced(server, ServerResponse, app.response);
}

type Made = abstract new (...args: never[]) => object;

/** The prototype that Express is to give to what the server makes: its own one, unless the server makes it with it. */
function replaced<M extends Made>(server: Server, usual: M, prototype: object): object {
  const classes = server as unknown as Record<symbol, unknown>;
  const place = Object.getOwnPropertySymbols(server).find((symbol) => classes[symbol] === usual);
  if (place === undefined) return prototype;
  const made = class extends (usual as unknown as new (...args: unknown[]) => object) {};
  Object.setPrototypeOf(made.prototype, prototype);
  classes[place] = made;
  return made.prototype;
}
