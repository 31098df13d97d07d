/**
 * All this package takes from the contract. `scripts/lib/bundle-client.mjs` writes it out for the published package:
 * the values as data, the types without the schemas they are made from.
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
export { API_PREFIX, CREDENTIAL_NAMESPACES, HEADERS, SENSITIVE_HEADERS } from '@svc/contract';

type Routes = typeof routes;
/** Name of a route: its operation id in the OpenAPI document. */
export type RouteName = keyof Routes;
/** Opened as a WebSocket, with a ticket. */
export type SocketRoute = { [N in RouteName]: Routes[N] extends { webSocket: true } ? N : never }[RouteName];
/** Takes a file, or answers without an end. */
type SpecialRoute = {
  [N in RouteName]: Routes[N] extends { file: string } ? N : unknown extends SuccessOf<Routes[N]> ? N : never;
}[RouteName];
/** Asked and answered. */
export type CallRoute = Exclude<RouteName, SocketRoute | SpecialRoute>;

/** What each route takes and answers; `unknown`: it has none. */
export type Calls = {
  [N in RouteName]: {
    params: ParamsOf<Routes[N]>;
    query: QueryOf<Routes[N]>;
    body: BodyOf<Routes[N]>;
    answer: SuccessOf<Routes[N]>;
  };
};

/** What is to be known of a route to call it. */
export interface RouteLine {
  readonly method: string;
  readonly path: string;
  /** The body of its success; `stream`: one without an end. */
  readonly answer: 'json' | 'text' | 'bytes' | 'stream' | 'none';
  /** Its body is not to be logged. */
  readonly sensitive?: true;
  /** It takes one file, in this field of a form. */
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
