import { checkAccess, type PresentedCredentials, Refusal } from '@svc/auth-core';
import {
  ACCESS_KEY_PREFIX,
  type Access,
  HEADERS,
  isPublic,
  PROTOCOL_CHECKS,
  type ProtocolRoute,
} from '@svc/contract';
import { identityUrl } from '@svc/settings';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify';
import type { App, HttpContext } from '../http/http-context.ts';
import { errorHandler, type SendError } from '../plugins/errors.ts';
import { authenticate, checkAgain, limitRate, whenKnown } from '../plugins/guard.ts';
import { LazyRequestOrigin } from '../plugins/request-origin.ts';
import { addResponseHeaders } from '../plugins/response-headers.ts';
import { allowEveryOrigin, answerPreflights } from './every-origin.ts';

/**
 * A part of the server outside `/svc/api` whose clients use a standard protocol (contract 10). Each has the body
 * and error formats of its protocol.
 */
export interface Protocol {
  /** Path below which all these routes are, or an empty string if they have no common prefix. */
  readonly prefix: string;
  /** Sends an error in the format of the protocol. */
  readonly sendError: SendError;
  /**
   * Sends the response to an error class of the protocol, such as `OAuthRefusal`. Returns undefined for every other
   * error, which the caller then passes to the common error handler.
   */
  readonly answerOwn?: (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => FastifyReply | undefined;
  /** Registers body parsers for these routes. If absent, they read no bodies. */
  readonly parseBodies?: (scope: App) => void;
  /** Registers the routes with `handleProtocolRoute`. */
  readonly serve: (scope: App, context: HttpContext) => void;
}

/**
 * Registers the routes of a protocol: its error handler, body parsers, routes, and the response
 * for unknown addresses.
 */
export async function openProtocol(app: App, context: HttpContext, protocol: Protocol): Promise<void> {
  const { prefix, sendError, answerOwn, parseBodies } = protocol;
  await app.register(
    async (scope) => {
      addResponseHeaders(scope, sendError);
      const answer = errorHandler(context, sendError);
      scope.setErrorHandler(
        (error, request, reply) => answerOwn?.(error, request, reply) ?? answer(error, request, reply),
      );
      scope.addHook('onRequest', (request, _reply, done) => {
        request.startedAt = performance.now();
        request.from = new LazyRequestOrigin(request, context.clients);
        request.presented = withoutCookie(request);
        done();
      });
      scope.removeAllContentTypeParsers();
      parseBodies?.(scope);
      if (prefix !== '') scope.setNotFoundHandler((_request, reply) => sendError(reply, 'not_found'));
      protocol.serve(scope, context);
    },
    { prefix },
  );
}

/**
 * Access check of a protocol, which replaces the common check of credential, rate limit, role and scope. Throws or rejects
 * with a refusal if the request is not allowed.
 */
export type RoomCheck = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;

/**
 * Registers a route outside `/svc/api`. Before the body is read, checks in this order:
 * whether the server has a public address, then the credential, the rate limit, the role and the scope.
 * @param check replaces the checks of credential, rate limit, role and scope; required if the route's access is
 * `PROTOCOL_CHECKS`
 */
export function handleProtocolRoute(
  scope: App,
  context: HttpContext,
  route: ProtocolRoute,
  handler: RouteHandlerMethod,
  check?: RoomCheck,
): void {
  const { method, path, access } = route;
  const url = path.slice(scope.prefix.length);
  const again = access === PROTOCOL_CHECKS || isPublic(access) ? [] : [checkAgain(access, context)];
  if (route.crossOrigin) answerPreflights(scope, url, route);
  scope.route({
    method,
    url,
    config: { protocolRoute: route },
    onRequest: [
      ...(route.crossOrigin ? [allowEveryOrigin] : []),
      publicUrlGuard(route, context),
      guardOf(route, context, check),
    ],
    preHandler: again,
    handler,
  });
}

function publicUrlGuard(
  { withoutPublicUrl }: ProtocolRoute,
  { services }: HttpContext,
): onRequestHookHandler {
  const isOff = withoutPublicUrl !== true && identityUrl(services.config) === null;
  return (_request, _reply, done) => {
    if (isOff) throw new Refusal('not_found', 'SVC_PUBLIC_URL is not usable');
    done();
  };
}

function guardOf(
  route: ProtocolRoute,
  context: HttpContext,
  check: RoomCheck | undefined,
): onRequestHookHandler {
  const { access, method, path } = route;
  if (access !== PROTOCOL_CHECKS) return isPublic(access) ? letPass : credentialGuard(access, route, context);
  if (check === undefined) throw new Error(`${method} ${path} has no check`);
  return (request, reply, done) => {
    Promise.resolve(check(request, reply)).then(() => done(), done);
  };
}

const letPass: onRequestHookHandler = (_request, _reply, done) => done();

function credentialGuard(
  access: Access,
  { category }: ProtocolRoute,
  context: HttpContext,
): onRequestHookHandler {
  return (request, reply, done) => {
    const proven = authenticate(request, context);
    whenKnown(
      proven,
      (caller) => {
        request.sender = { kind: 'caller', caller, ticket: null };
        limitRate(caller, reply, context, category);
        checkAccess(caller, access);
      },
      done,
    );
  };
}

const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;

/**
 * @returns the credentials of a request to a route outside `/svc/api`, without its cookie, because these routes accept
 * no cookies. Where the route says so, a key pair can also be sent as the user name and password of HTTP Basic
 * authentication, because OAuth clients send an id and a secret this way (RFC 6749 2.3.1). It counts only if the request
 * has neither half of a pair in its own headers (contract 15.1).
 */
function withoutCookie({ headers, routeOptions }: FastifyRequest): PresentedCredentials {
  const isOwn = headers[HEADERS.accessKey] !== undefined || headers[HEADERS.token] !== undefined;
  const pair =
    isOwn || routeOptions.config?.protocolRoute?.basicClients !== true ? {} : clientOf(headers.authorization);
  return { headers: { ...headers, ...pair }, cookie: undefined };
}

/**
 * @returns the key pair in an `Authorization: Basic` header, as the headers that usually carry it. They are missing if
 * the user name is no access key, and the token is missing if there is no password.
 */
function clientOf(authorization: string | undefined): Record<string, string> {
  const [, encoded] = BASIC.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return {};
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('latin1').split(':');
  const accessKey = formDecoded(id);
  if (!accessKey.startsWith(ACCESS_KEY_PREFIX)) return {};
  const token = secret.length === 0 ? {} : { [HEADERS.token]: formDecoded(secret.join(':')) };
  return { [HEADERS.accessKey]: accessKey, ...token };
}

/**
 * Decodes an id or secret from HTTP Basic authentication, which standard OAuth clients form-encode. Returns the text
 * unchanged if it cannot be decoded.
 */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
