/**
 * Everything that this package imports from the contract. In the published package, `scripts/lib/bundle-client.mjs`
 * replaces this module by a generated one. The generated module contains the values as plain data and the types written
 * out, so that the published package needs neither the contract nor its schemas.
 */
import {
  type BodyOf,
  type LiveEvent as EventOfLab,
  type ParamsOf,
  type QueryOf,
  type Route,
  routes,
  type SuccessOf,
  successStatus,
} from '@svc/contract';

export type { BearerAudience, ErrorCode, McpScope, Role, Scope, Status } from '@svc/contract';
export { API_PREFIX, CREDENTIAL_NAMESPACES, HEADERS, PROOF_HEADERS, SENSITIVE_HEADERS } from '@svc/contract';

type Routes = typeof routes;
/** Name of a route in the contract, such as `issueBearer`. */
export type RouteName = keyof Routes;
/** Names of the routes that are opened as a WebSocket, with a ticket. */
export type SocketRoute = { [N in RouteName]: Routes[N] extends { webSocket: true } ? N : never }[RouteName];
/** Names of the routes that accept a file or whose response is endless. */
type SpecialRoute = {
  [N in RouteName]: Routes[N] extends { file: string } ? N : unknown extends SuccessOf<Routes[N]> ? N : never;
}[RouteName];
/** Names of the routes that `SvcClient.call` supports: they have one request and one finite response. */
export type CallRoute = Exclude<RouteName, SocketRoute | SpecialRoute>;

/** Input and response of each route; `unknown` for parts that a route does not have. */
export type Calls = {
  [N in RouteName]: {
    params: ParamsOf<Routes[N]>;
    query: QueryOf<Routes[N]>;
    body: BodyOf<Routes[N]>;
    answer: SuccessOf<Routes[N]>;
  };
};

/**
 * An event of the lab. The type `history_lost` means that events of the kinds in `payload.lost` were missed, so the
 * caller must reload the data that depends on them.
 */
export type LiveEvent = EventOfLab;

/** Facts about a route that the client needs to call it. */
export interface RouteLine {
  readonly method: string;
  readonly path: string;
  /** Kind of body that a successful response has; `stream` means an endless body. */
  readonly answer: 'json' | 'text' | 'bytes' | 'stream' | 'none';
  /** Present if no log may contain the body of the request, because it is secret. */
  readonly sensitive?: true;
  /** Name of the multipart form field for the file, if the route accepts a file. */
  readonly file?: string;
}

export const ROUTE_LINES = Object.fromEntries(
  Object.entries<Route>(routes).map(([name, route]) => [name, lineOf(route)]),
) as Readonly<Record<RouteName, RouteLine>>;

function lineOf(route: Route): RouteLine {
  const { method, path, sensitive, file } = route;
  const answer = answerOf(route);
  return {
    method,
    path,
    answer,
    ...(sensitive === undefined ? {} : { sensitive }),
    ...(file === undefined ? {} : { file }),
  };
}

function answerOf({ webSocket, responses, ...route }: Route): RouteLine['answer'] {
  if (webSocket) return 'none';
  const schema = responses[successStatus({ ...route, responses })];
  if (!schema) return 'none';
  const { type, format, enum: words } = schema as { type?: unknown; format?: unknown; enum?: unknown };
  if (type === 'string' && words === undefined) return format === 'binary' ? 'bytes' : 'text';
  return Object.keys(schema).some((key) => !key.startsWith('~')) ? 'json' : 'stream';
}
