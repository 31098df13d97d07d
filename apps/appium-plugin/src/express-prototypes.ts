import { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ExpressApp } from './appium-types.ts';

/**
 * Makes the server create its requests and responses with the prototypes that Express would set on each of them later.
 * If they are set later, each object gets hidden classes of its own and every inline cache misses, which is about a
 * quarter of what a command costs bare Appium (docs/decisions/0007; expressjs/express#5998, with which this can go).
 *
 * Node keeps the classes given to `http.createServer({IncomingMessage, ServerResponse})` on the server under
 * undocumented symbols. If they are not found, or are not Node's own (TLS by spdy), nothing is changed: only speed
 * depends on it.
 */
export function makeForExpress(server: Server, app: Pick<ExpressApp, 'request' | 'response'>): void {
  if (Object.getPrototypeOf(server) !== Server.prototype) return;
  app.request = replaced(server, IncomingMessage, app.request);
  app.response = replaced(server, ServerResponse, app.response);
}

type Made = abstract new (...args: never[]) => object;

/** @returns the prototype that Express must set: its own, or the one with which the server now creates objects */
function replaced<M extends Made>(server: Server, usual: M, prototype: object): object {
  const classes = server as unknown as Record<symbol, unknown>;
  const place = Object.getOwnPropertySymbols(server).find((symbol) => classes[symbol] === usual);
  if (place === undefined) return prototype;
  const made = class extends (usual as unknown as new (...args: unknown[]) => object) {};
  Object.setPrototypeOf(made.prototype, prototype);
  classes[place] = made;
  return made.prototype;
}
