import type { Access } from './access.ts';
import type { ErrorCode } from './errors.ts';
import type { Static, TSchema } from './json-schema.ts';

export type { TSchema };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Rate category (specification 8.1.1): `read` only reads, `change` changes something, `ai` runs an AI provider. */
export type Category = 'read' | 'change' | 'ai';

/**
 * One route of the API, as data. The server registers it; the OpenAPI document and the client are generated from it.
 */
export interface Route {
  readonly method: Method;
  /** Path below `/svc/api`, with `:names` for parameters. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly category: Category;
  /** One-line summary for the OpenAPI document. */
  readonly summary: string;
  /** What else a caller has to know, in Markdown. */
  readonly description?: string;
  /** Set where `operationIdOf` would not derive a good name from the route's name. */
  readonly operationId?: string;
  /** Error codes beyond those that follow from the access, the parameters and the body; see `errorsOf`. */
  readonly errors?: readonly ErrorCode[];
  /** Schema of an object with the path's `:names`. */
  readonly params?: TSchema;
  /** Schema of the query. Values arrive as text, and names that it does not have are ignored. */
  readonly query?: TSchema;
  /**
   * Schema of the JSON object in the body. Other fields are refused, except on public routes, which ignore them
   * (contract 1).
   */
  readonly body?: TSchema;
  /** Name of the only field, if the body is `multipart/form-data` with one file instead of JSON. */
  readonly file?: string;
  /** Body for each status, or null if it has none; other fields are never sent. The usual status comes first. */
  readonly responses: Responses;
  /** Media types of a success; JSON if absent. */
  readonly produces?: readonly string[];
  /** Request headers that the route reads, besides those that every route reads. Documented but not validated. */
  readonly headers?: TSchema;
  /** A success sets or clears the sign-in cookie. */
  readonly setsCookie?: true;
  /** The route is a WebSocket, opened by an upgrade request. A refused upgrade gets a bare status (contract 2). */
  readonly webSocket?: true;
  /**
   * The body holds a password or text for a device, so clients mark the request and no log keeps it (specification
   * 5.5.2).
   */
  readonly sensitive?: true;
  /**
   * Not counted against the caller's rate limit, because the request represents a WebDriver command (specification
   * 8.1.4).
   */
  readonly uncounted?: true;
}

export type Responses = Readonly<Record<number, TSchema | null>>;

/** The category follows from the method unless the route runs an AI provider. */
export type RouteSpec = Omit<Route, 'category'> & { readonly category?: Category };

export function defineRoute<const Spec extends RouteSpec>(
  spec: Spec,
): Spec & { readonly category: Category } {
  return { category: spec.method === 'GET' ? 'read' : 'change', ...spec };
}

/** @returns the only status below 300 that the route declares */
export function successStatus({ responses }: Pick<Route, 'responses'>): number {
  const status = Object.keys(responses)
    .map(Number)
    .find((each) => each < 300);
  if (status === undefined) throw new TypeError('a route declares the status of its success');
  return status;
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** Types of the parsed parts of a route. */
export type ParamsOf<R extends Route> = R extends { params: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
export type QueryOf<R extends Route> = R extends { query: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
export type BodyOf<R extends Route> = R extends { body: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
/** Body of a response of any declared status, or undefined where there is none. */
export type ResponseOf<R extends Route> = StaticOf<R['responses'][keyof R['responses']]>;
/** Body of a success. */
export type SuccessOf<R extends Route> = StaticOf<
  R['responses'][Extract<keyof R['responses'], 200 | 201 | 202 | 204>]
>;
