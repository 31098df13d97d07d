import type { Access } from './access.ts';
import type { ErrorCode } from './errors.ts';
import type { Static, TSchema } from './json-schema.ts';

export type { TSchema };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Rate category (specification 8.1.1): `read` only reads, `change` changes something, `ai` runs an AI provider. */
export type Category = 'read' | 'change' | 'ai';

/**
 * Format in which a route sends its errors: `api` for that of the API (contract 1), otherwise that of a protocol
 * (contract 10, 12).
 */
export type ErrorFormat = 'api' | 'oauth' | 'scim' | 'mcp';

/** What the server needs to know of every route before it reads a body: who may call it, and how a refusal looks. */
export interface GuardedRoute {
  readonly method: Method;
  /** Path with `:names` for parameters. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly category: Category;
  readonly errorFormat: ErrorFormat;
  readonly summary: string;
  /** Present if requests to this route do not count against the caller's rate limit (specification 8.1.4). */
  readonly uncounted?: true;
}

/**
 * One route of the API, as data. The server registers it; the OpenAPI document and the client are generated from it.
 * Its path is below `/svc/api`, and its summary is the one of the OpenAPI document.
 */
export interface Route extends GuardedRoute {
  readonly errorFormat: 'api';
  /** Further facts that a caller must know, in Markdown for the OpenAPI document. */
  readonly description?: string;
  /**
   * Operation id for the OpenAPI document. Set only if `operationIdOf` would not derive a good one from the route's
   * name.
   */
  readonly operationId?: string;
  /**
   * Error codes of the route itself. `errorsOf` adds the codes that follow from the access, the parameters and the
   * body.
   */
  readonly errors?: readonly ErrorCode[];
  /** Schema of an object that has the `:name` parameters of the path. */
  readonly params?: TSchema;
  /** Schema of the query. Values arrive as text. Parameters that the schema does not have are ignored. */
  readonly query?: TSchema;
  /**
   * Schema of the JSON object in the body. Fields that the schema does not have are refused, except on public routes,
   * which ignore them (contract 1).
   */
  readonly body?: TSchema;
  /**
   * Name of the form field for the file. Present if the body is `multipart/form-data` with one file instead of JSON.
   */
  readonly file?: string;
  /**
   * Schema of the response body for each status, or null if there is no body. Fields that the schema does not have are
   * left out of the response.
   */
  readonly responses: Responses;
  /** Media types of a successful response. If absent, the response is JSON. */
  readonly produces?: readonly string[];
  /**
   * Schema of the request headers that this route reads in addition to those that all routes read. The headers are
   * documented but not validated.
   */
  readonly headers?: TSchema;
  /** Present if a successful response sets or clears the sign-in cookie. */
  readonly setsCookie?: true;
  /**
   * Present if the route is opened as a WebSocket by an upgrade request. A refused upgrade gets a status without a body
   * (contract 2).
   */
  readonly webSocket?: true;
  /**
   * Present if the body holds a password or text for a device. Clients mark the request with a header, and no log may
   * contain the body (specification 5.5.2).
   */
  readonly sensitive?: true;
}

export type Responses = Readonly<Record<number, TSchema | null>>;

/**
 * Definition of a route without its method and path. `category` may be absent, because it follows from the method
 * unless the route runs an AI provider.
 */
export type RouteSpec = Omit<Route, 'method' | 'path' | 'category' | 'errorFormat'> & {
  readonly category?: Category;
};

type Defined<Verb extends Method, Path extends string, Spec> = Spec & {
  readonly method: Verb;
  readonly path: Path;
  readonly category: Category;
  readonly errorFormat: 'api';
};

function defining<const Verb extends Method>(method: Verb) {
  return <const Path extends `/${string}`, const Spec extends RouteSpec>(
    path: Path,
    spec: Spec,
  ): Defined<Verb, Path, Spec> => {
    const category = method === 'GET' ? 'read' : 'change';
    return { method, path, category, errorFormat: 'api', ...spec };
  };
}

/** Defines a route: its method, its path below `/svc/api`, and the rest of its facts. */
export const route = {
  get: defining('GET'),
  post: defining('POST'),
  put: defining('PUT'),
  patch: defining('PATCH'),
  delete: defining('DELETE'),
};

/** @returns the status of a successful response, which is the only declared status below 400 */
export function successStatus({ responses }: Pick<Route, 'responses'>): number {
  const status = Object.keys(responses)
    .map(Number)
    .find((each) => each < 400);
  if (status === undefined) throw new TypeError('a route must declare the status of its success');
  return status;
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** Type of the parsed path parameters of a route, or `unknown` if it has none. */
export type ParamsOf<R extends Route> = R extends { params: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
export type QueryOf<R extends Route> = R extends { query: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
export type BodyOf<R extends Route> = R extends { body: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
/** Type of the body of a response with any declared status, or undefined for a status without a body. */
export type ResponseOf<R extends Route> = StaticOf<R['responses'][keyof R['responses']]>;
/** Type of the body of a successful response. */
export type SuccessOf<R extends Route> = StaticOf<
  R['responses'][Extract<keyof R['responses'], 200 | 201 | 202 | 204>]
>;
