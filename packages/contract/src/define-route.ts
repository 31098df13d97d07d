import type { Access } from './access.ts';
import type { ErrorCode } from './errors.ts';
import type { Static, TSchema } from './json-schema.ts';

export type { TSchema };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Rate category (specification 8.1.1): what only reads, what changes, what runs an AI provider. */
export type Category = 'read' | 'change' | 'ai';

/** One route of the API, as data: the server registers it, the OpenAPI document and the client are made from it. */
export interface Route {
  readonly method: Method;
  /** Below `/svc/api`, with `:names` for parameters. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly category: Category;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** What else a caller has to know, in Markdown. */
  readonly description?: string;
  /** Where `operationIdOf` makes no good name of the route's. */
  readonly operationId?: string;
  /** What it may be refused with, beyond what follows from its access, parameters and body: see `errorsOf`. */
  readonly errors?: readonly ErrorCode[];
  /** An object with the path's `:names`. */
  readonly params?: TSchema;
  /** Values arrive as text; names that are not here are ignored. */
  readonly query?: TSchema;
  /** JSON object. Fields that are not here are refused, on public routes ignored (contract 1). */
  readonly body?: TSchema;
  /** The body is `multipart/form-data` instead, with one file in the field of this name and nothing else. */
  readonly file?: string;
  /** Body by status; null: none. Fields that are not here are never sent. The first status is the usual one. */
  readonly responses: Responses;
  /** Media types of its success; absent: JSON. */
  readonly produces?: readonly string[];
  /** Request headers it reads, beside those every route has. Documented, and checked by nobody. */
  readonly headers?: TSchema;
  /** Its success sets or clears the sign-in cookie. */
  readonly setsCookie?: true;
  /** A WebSocket: opened by an upgrade request, which is refused with a bare status (contract 2). */
  readonly webSocket?: true;
  /**
   * The body holds a password or text for a device: clients mark the request, so that no log keeps it (specification
   * 5.5.2).
   */
  readonly sensitive?: true;
  /** Not counted against the caller's allowance: it stands for a WebDriver command (specification 8.1.4). */
  readonly uncounted?: true;
}

export type Responses = Readonly<Record<number, TSchema | null>>;

/** `category` follows from the method unless the route runs an AI provider. */
export type RouteSpec = Omit<Route, 'category'> & { readonly category?: Category };

export function defineRoute<const Spec extends RouteSpec>(
  spec: Spec,
): Spec & { readonly category: Category } {
  return { category: spec.method === 'GET' ? 'read' : 'change', ...spec };
}

/** The one status of a route's success. */
export function successStatus({ responses }: Pick<Route, 'responses'>): number {
  const status = Object.keys(responses)
    .map(Number)
    .find((each) => each < 300);
  if (status === undefined) throw new TypeError('a route declares the status of its success');
  return status;
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** What the parts of a route hold, parsed. */
export type ParamsOf<R extends Route> = R extends { params: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
export type QueryOf<R extends Route> = R extends { query: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
export type BodyOf<R extends Route> = R extends { body: infer Schema extends TSchema }
  ? Static<Schema>
  : unknown;
/** Body of an answer of any declared status; undefined where there is none. */
export type ResponseOf<R extends Route> = StaticOf<R['responses'][keyof R['responses']]>;
/** Body of a success. */
export type SuccessOf<R extends Route> = StaticOf<
  R['responses'][Extract<keyof R['responses'], 200 | 201 | 202 | 204>]
>;
