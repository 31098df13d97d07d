import { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ExpressApp } from '../appium-types.ts';

/**
 * Makes the server create requests and responses that already have the prototypes of Express. Otherwise Express changes
 * the prototype of each request and response. This makes V8's inline caches useless for them and costs about a quarter
 * of the time that bare Appium takes for a command (docs/decisions/0007). This function is unnecessary once
 * expressjs/express#5998 is resolved.
 *
 * Node.js stores the classes of a server's requests and responses on the server, under undocumented symbols. If Node's
 * own classes are not found there, for example on the TLS server of `spdy`, this function changes nothing, and the
 * server is only slower.
 */
export function makeForExpress(server: Server, app: Pick<ExpressApp, 'request' | 'response'>): void {
  if (Object.getPrototypeOf(server) !== Server.prototype) return;
  app.request = replaced(server, IncomingMessage, app.request);
  app.response = replaced(server, ServerResponse, app.response);
}

type Made = abstract new (...args: never[]) => object;

/**
 * If the server creates its requests or responses with Node's class `usual`, replaces that class by a subclass whose
 * prototype inherits from `prototype`.
 * @returns the prototype of the subclass, or `prototype` if the server uses another class
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
