import type { ErrorFormat, ProtocolRoute } from '@svc/contract';
import type { RouteHandlerMethod } from 'fastify';
import { identifier } from '../admission/identify.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { errorHandler } from '../plugins/errors.ts';
import { addResponseHeaders } from '../plugins/response-headers.ts';
import { errorSenders } from './error-formats.ts';
import { answerPreflights } from './preflights.ts';

/**
 * A part of the server outside `/svc/api` whose clients use a standard protocol (contract 10). Each has the body and
 * error formats of its protocol.
 */
export interface Protocol {
  /** Path below which all these routes are, or an empty string if they have no common prefix. */
  readonly prefix: string;
  /** Format of the errors, which the definitions of its routes state, too. */
  readonly errorFormat: ErrorFormat;
  /** Registers body parsers for these routes. If absent, they read no bodies. */
  readonly parseBodies?: (scope: App) => void;
  /** Registers the routes with `handleProtocolRoute`. */
  readonly serve: (scope: App, context: HttpContext) => void;
}

/**
 * Registers the routes of a protocol: its error handler, body parsers, routes, and the response for unknown addresses.
 */
export async function openProtocol(app: App, context: HttpContext, protocol: Protocol): Promise<void> {
  const { prefix, errorFormat, parseBodies } = protocol;
  const { send, sendOwn } = errorSenders(errorFormat, context);
  await app.register(
    async (scope) => {
      addResponseHeaders(scope, send);
      const sendCommon = errorHandler(context, send);
      scope.setErrorHandler(
        (error, request, reply) => sendOwn?.(error, request, reply) ?? sendCommon(error, request, reply),
      );
      scope.removeAllContentTypeParsers();
      parseBodies?.(scope);
      if (prefix !== '') {
        identifyUnknown(scope, context, errorFormat);
        scope.setNotFoundHandler((_request, reply) => send(reply, 'not_found'));
      }
      protocol.serve(scope, context);
    },
    { prefix },
  );
}

/** Registers a route outside `/svc/api`, which the guard checks before the body is read. */
export function handleProtocolRoute(scope: App, route: ProtocolRoute, handler: RouteHandlerMethod): void {
  const { method, path } = route;
  const url = path.slice(scope.prefix.length);
  if (route.crossOrigin) answerPreflights(scope, url, route);
  scope.route({ method, url, config: { ...route }, handler });
}

/** Addresses without a route have no guard. The lines of the access log name their sender all the same. */
function identifyUnknown(scope: App, { clients }: HttpContext, errorFormat: ErrorFormat): void {
  const identify = identifier({ errorFormat }, clients);
  scope.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) identify(request);
    done();
  });
}
