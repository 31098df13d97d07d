import type { Caller } from '@svc/auth-core';
import { Refusal } from '@svc/auth-core';
import {
  type BodyOf,
  isPublic,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  type Route,
  routes,
  successStatus,
} from '@svc/contract';
import type { Sendable } from '@svc/module';
import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preValidationHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import type { App } from './http-context.ts';

/** A request whose parameters, query and body were validated against the schemas of its route. */
type RouteRequest<R extends Route> = FastifyRequest<{
  Params: ParamsOf<R>;
  Querystring: QueryOf<R>;
  Body: BodyOf<R>;
}>;

/**
 * Return value of a handler: the body that the route declares, or nothing if the route declares no body. Fields that
 * the schema does not declare are not sent.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a route without a body returns nothing.
type Answer<R extends Route> = [ResponseOf<R>] extends [undefined] ? void : Sendable<ResponseOf<R>>;

/**
 * A handler of a route. The response has the route's success status, unless the handler sets another status that the
 * route declares.
 */
type Handler<R extends Route> = (
  request: RouteRequest<R>,
  reply: FastifyReply,
) => Answer<R> | Promise<Answer<R>>;

interface HandleOptions<R extends Route> {
  /** Limit on attempts at this route, such as sign-in attempts. Use `limitedBy` to create it. */
  readonly rateLimit?: FastifyContextConfig['rateLimit'];
  /** Access check of the resource in the path; see `FastifyContextConfig.authorizeResource`. */
  readonly authorizeResource?: (caller: Caller, params: ParamsOf<R>) => void;
  /** Returns the method, path and session id for the record of a refusal; see `FastifyContextConfig.checkedRequest`. */
  readonly checkedRequest?: FastifyContextConfig['checkedRequest'];
}

const known = new Set<Route>(Object.values(routes));

/** Registers a route of the contract below `/svc/api`. The types of the handler follow from the route's schemas. */
export function handle<R extends Route>(
  api: App,
  route: R,
  handler: Handler<NoInfer<R>>,
  { rateLimit, authorizeResource, checkedRequest }: HandleOptions<R> = {},
): void {
  const { method, path, access, category, uncounted } = route;
  const config: FastifyContextConfig = { access, category, ...(uncounted ? { uncounted } : {}) };
  if (rateLimit !== undefined) config.rateLimit = rateLimit;
  if (authorizeResource !== undefined) {
    config.authorizeResource = authorizeResource as FastifyContextConfig['authorizeResource'] & object;
  }
  if (checkedRequest !== undefined) config.checkedRequest = checkedRequest;
  api.route({
    method,
    url: path,
    config,
    schema: schemaOf(route),
    ...(method !== 'GET' && route.body === undefined && !isPublic(access)
      ? { preValidation: refuseFields }
      : {}),
    handler: answering(route, handler as RouteHandlerMethod),
  });
}

/** Returns the schemas with which Fastify validates the requests and serializes the responses of a route. */
export function schemaOf(route: Route): FastifySchema {
  if (!known.has(route)) throw new Error(`${route.method} ${route.path} is not in the contract's routes`);
  const { access, params, query, body, responses } = route;
  const response = Object.entries(responses).filter(([, schema]) => schema !== null);
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined
      ? {}
      : { body: isPublic(access) ? body : { ...body, additionalProperties: false } }),
    ...(response.length === 0 ? {} : { response: Object.fromEntries(response) }),
  };
}

/**
 * Returns the handler unchanged if the route responds with 200, which is the default; otherwise wraps the handler so
 * that the status is set.
 */
function answering(route: Route, handler: RouteHandlerMethod): RouteHandlerMethod {
  const status = successStatus(route);
  if (status === 200) return handler;
  return async function (request, reply) {
    reply.code(status);
    const answer = await handler.call(this, request, reply);
    return route.responses[status] === null ? reply.send() : answer;
  };
}

/** Refuses a request that sends fields to a route without a body (contract 1). */
const refuseFields: preValidationHookHandler = ({ body }, _reply, done) => {
  const [field] = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (field !== undefined) throw unknownField(field);
  done();
};

const LONGEST_FIELD = 64;

/**
 * Returns the refusal of an unknown field. A long field name is cut in the message, because a client can choose a name
 * of any length.
 */
export function unknownField(field: string): Refusal {
  const message = `${field.slice(0, LONGEST_FIELD)}: is not a field of this route`;
  return new Refusal('bad_request', 'unknown field', { message });
}
