import type { Readable } from 'node:stream';
import type { Caller, RequestOrigin, Sender } from '@svc/auth-core';
import type { BodyOf, ErrorCode, ParamsOf, QueryOf, ResponseOf, Route, routes } from '@svc/contract';

/** Type of a value that a handler returns. Its arrays and fields can be read-only. */
export type Sendable<T> = T extends readonly (infer Item)[]
  ? readonly Sendable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Sendable<T[Key]> }
    : T;

/** A request that has passed all checks: its sender may call the route, and its parts fit the route's schemas. */
export interface RouteRequest<R extends Route> {
  /** Caller of a route that accepts only credentials or tickets. */
  readonly caller: Caller;
  readonly sender: Sender;
  /** Client, connection and id of the request, for the audit trail. */
  readonly from: RequestOrigin;
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

/** What a handler may use besides the request. */
export interface HandlerTools {
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
  /**
   * Origin by which a browser on this machine reaches the port of the request, or null if the connection is closed.
   */
  readonly localOrigin: string | null;
  /**
   * Public address of the server, or the address that the request was sent to if none is configured. Undefined if the
   * `Host` header is not usable.
   */
  readonly address: string | undefined;
  /** Runs work on large responses in slices, so that other requests are served in between. */
  readonly turns: {
    run<T>(slice: () => T): Promise<T>;
    pieces(texts: Iterable<string>): AsyncIterable<string>;
    all<Item>(items: Iterable<Item>): Promise<Item[]>;
  };
}

type Texts = Iterable<string> | AsyncIterable<string>;

/** Counter of attempts on a secret, by client or by account. */
export interface CountedAttempts {
  readonly limit: { readonly attempts: number; readonly windowMs: number };
  /** Counts an attempt. `endsInMs` is the time until the count starts again. */
  add(key: string): { readonly count: number; readonly endsInMs: number };
}

/** Limit on attempts at a route that checks a secret. Routes with the same `attempts` share a counter. */
export interface RouteLimit {
  readonly attempts: CountedAttempts;
  readonly refusal: ErrorCode;
  readonly key: (request: Pick<RouteRequest<Route>, 'caller' | 'from'>) => string;
}

/** A response whose size grows with stored data. */
export interface LargeAnswer {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the data and returns the body in texts. Called when the read has its place. */
  readonly texts: () => Texts | Promise<Texts>;
  /** Returns why the caller may no longer read, or null if they may. Asked again while the response is sent. */
  readonly refusal: (caller: Caller) => string | null;
}

/** A response that is not JSON. */
export interface FileAnswer {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content: Uint8Array | Readable;
}

/**
 * Return value of a handler: the body that the route declares, or nothing if the route declares no body. Fields that
 * the schema does not declare are not sent.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a route without a body returns nothing.
type Answer<R extends Route> = [ResponseOf<R>] extends [undefined] ? void : Sendable<ResponseOf<R>>;
type Answering<R extends Route> = (
  request: RouteRequest<R>,
  tools: HandlerTools,
) => Answer<R> | Promise<Answer<R>>;

/** Item of a route whose response is an array. */
export type ItemOf<R extends Route> = ResponseOf<R> extends readonly (infer Item)[] ? Sendable<Item> : never;
/** Item of a route whose response is an object with the array `items` and the text `next`. */
export type PageItemOf<R extends Route> =
  ResponseOf<R> extends { items: readonly (infer Item)[] } ? Sendable<Item> : never;

/** Throws if the resource in the path is unknown or not accessible to the caller. Runs before the body is read. */
export type Authorize<R extends Route> = (caller: Caller, params: ParamsOf<R>) => void;

/**
 * Handler of a route. It answers the request with a body, a file or a large text; or it lists items one after the
 * other, of all or of a page. An undefined item marks a step after which other requests may run.
 */
export type Handler<R extends Route> =
  | Answering<R>
  | ({ readonly authorize?: Authorize<R>; readonly limit?: RouteLimit } & (
      | { readonly answer: Answering<R> }
      | {
          readonly file: (request: RouteRequest<R>, tools: HandlerTools) => FileAnswer | Promise<FileAnswer>;
        }
      | { readonly large: (request: RouteRequest<R>, tools: HandlerTools) => LargeAnswer }
      | { readonly list: (request: RouteRequest<R>) => Iterable<ItemOf<R> | undefined> }
      | {
          readonly page: (request: RouteRequest<R>) => {
            readonly items: Iterable<PageItemOf<R> | undefined>;
            readonly next: string | null;
          };
        }
    ));

type Routes = typeof routes;

/** Handlers by the name of their route in the contract. */
export type Handlers = { readonly [Name in keyof Routes]?: Handler<Routes[Name]> };
