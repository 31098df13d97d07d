import { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ExpressApp } from './appium-types.ts';

/**
 * Makes the server create its requests and responses with the prototypes that Express would otherwise set on each of
 * them later. In V8, changing the prototype of an existing object gives that object its own hidden class, so every
 * inline cache misses, which costs about a quarter of the time that bare Appium takes for a command
 * (docs/decisions/0007). This function is unnecessary once expressjs/express#5998 is resolved.
 *
 * Node stores the classes passed to `http.createServer({IncomingMessage, ServerResponse})` on the server under
 * undocumented symbols. If the symbols are missing, or their classes are not Node's own (TLS by spdy), the server stays
 * unchanged, which only makes it slower.
 */
export function makeForExpress(server: Server, app: Pick<ExpressApp, 'request' | 'response'>): void {
  if (Object.getPrototypeOf(server) !== Server.prototype) return;
  app.request = replaced(server, IncomingMessage, app.request);
  app.response = replaced(server, ServerResponse, app.response);
}

type Made = abstract new (...args: never[]) => object;

/**
 * Makes the server create its objects of the class `usual` with `prototype`, if the server stores this class.
 * @returns the prototype for Express to set: that of the new class, or `prototype` if the server does not store the
 * class
 */
function replaced<M extends Made>(server: Server, usual: M, prototype: object): object {
  const classes = server as unknown as Record<symbol, unknown>;
  const place = Object.getOwnPropertySymbols(server).find((symbol) => classes[symbol] === usual);
  if (place === undefined) return prototype;
  const made = class extends (usual as unknown as new (...args: unknown[]) => object) {};
  Object.setPrototypeOf(made.prototype, prototype);
  classes[place] = made;
  return made.prototype;
}
