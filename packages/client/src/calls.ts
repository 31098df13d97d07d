import type { CallRoute, Calls, RouteName, SocketRoute } from './wire.ts';

/** Type of one part of a route, such as its query or body, or `unknown` if the route does not have that part. */
type PartOf<N extends RouteName, Key extends string> =
  Calls[N] extends Record<Key, infer Part> ? Part : unknown;

type Field<Key extends string, Value> = unknown extends Value
  ? unknown
  : Record<string, never> extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value };
type WhereGiven<Input> = Record<string, never> extends Input ? [input?: Input] : [input: Input];

/** Input of a call: path parameters, query and body. Each field exists only if the route has that part. */
export type CallInput<N extends RouteName> = Field<'params', PartOf<N, 'params'>> &
  Field<'query', PartOf<N, 'query'>> &
  Field<'body', PartOf<N, 'body'>>;
export type CallArguments<N extends RouteName> = WhereGiven<CallInput<N>>;

/** Arguments that a route's address needs: its path parameters and its query. */
export type AddressArguments<N extends RouteName> = WhereGiven<
  Field<'params', PartOf<N, 'params'>> & Field<'query', PartOf<N, 'query'>>
>;

/** Body of a successful response, or undefined if the route responds without a body. */
export type AnswerOf<N extends RouteName> = PartOf<N, 'answer'>;
/** Type of the request body that the route expects, or `unknown` if the route has no body. */
export type BodyOf<N extends RouteName> = PartOf<N, 'body'>;

/** Route that responds over HTTP and is not opened as a WebSocket. */
export type HttpRoute = Exclude<RouteName, SocketRoute>;
export type { CallRoute, Calls, RouteName, SocketRoute };
