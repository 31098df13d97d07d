/**
 * Everything that this package takes from the contract. For the published package, `scripts/lib/bundle-client.mjs`
 * writes it out: the values as data, the types without the schemas they are derived from.
 */
import {
  type BodyOf,
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
/** Name of a route in the contract. */
export type RouteName = keyof Routes;
/** Routes that are opened as a WebSocket, with a ticket. */
export type SocketRoute = { [N in RouteName]: Routes[N] extends { webSocket: true } ? N : never }[RouteName];
/** Routes that accept a file or whose response is endless. */
type SpecialRoute = {
  [N in RouteName]: Routes[N] extends { file: string } ? N : unknown extends SuccessOf<Routes[N]> ? N : never;
}[RouteName];
/** Routes with one request and one finite response. */
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

/** What the client needs to know about a route to call it. */
export interface RouteLine {
  readonly method: string;
  readonly path: string;
  /** Kind of the body of a success; `stream` is an endless one. */
  readonly answer: 'json' | 'text' | 'bytes' | 'stream' | 'none';
  /** The body must not be logged. */
  readonly sensitive?: true;
  /** The name of the form field that takes the only file. */
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
