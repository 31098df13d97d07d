import type { CallRoute, Calls, RouteName, SocketRoute } from './wire.ts';

/** The named part of a route, or `unknown` if the route has none. */
type PartOf<N extends RouteName, Key extends string> =
  Calls[N] extends Record<Key, infer Part> ? Part : unknown;

type Field<Key extends string, Value> = unknown extends Value
  ? unknown
  : Record<string, never> extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value };
type WhereGiven<Input> = Record<string, never> extends Input ? [input?: Input] : [input: Input];

/** Input of a call: parameters, query and body, each only if the route has it. */
export type CallInput<N extends RouteName> = Field<'params', PartOf<N, 'params'>> &
  Field<'query', PartOf<N, 'query'>> &
  Field<'body', PartOf<N, 'body'>>;
export type CallArguments<N extends RouteName> = WhereGiven<CallInput<N>>;

/** Input of a route's address. */
export type AddressArguments<N extends RouteName> = WhereGiven<
  Field<'params', PartOf<N, 'params'>> & Field<'query', PartOf<N, 'query'>>
>;

/** Body of a success, or undefined if there is none. */
export type AnswerOf<N extends RouteName> = PartOf<N, 'answer'>;
/** Body of a request. */
export type BodyOf<N extends RouteName> = PartOf<N, 'body'>;

/** A route that responds over HTTP. */
export type HttpRoute = Exclude<RouteName, SocketRoute>;
export type { CallRoute, Calls, RouteName, SocketRoute };
