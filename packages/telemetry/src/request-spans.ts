import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { RequestTracing } from '@svc/webdriver-gate';

/** Name of a span attribute. These names follow OpenTelemetry's semantic conventions for HTTP, except `svc.session`. */
const METHOD = 'http.request.method';
const ROUTE = 'http.route';
const STATUS = 'http.response.status_code';
const ERROR = 'error.type';
const SESSION = 'svc.session';

/**
 * Records a span for each admitted create-session request and command. A span has only these attributes: method, route,
 * status, error type, and a hash of the session id. Ids, addresses, paths, queries, headers and bodies are not
 * recorded.
 */
export class RequestSpans implements RequestTracing {
  readonly #tracer: Tracer;
  readonly #creates = new WeakMap<object, Span>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  create(req: IncomingMessage, res: ServerResponse, from: object, began: number): void {
    this.#creates.set(from, this.#begin(req, res, '/session', {}, began));
  }

  created(from: object, sessionId: string): void {
    this.#creates.get(from)?.setAttribute(SESSION, hashOf(sessionId));
  }

  command(req: IncomingMessage, res: ServerResponse, sessionId: string, route: string): void {
    this.#begin(req, res, route, { [SESSION]: hashOf(sessionId) });
  }

  #begin(
    req: IncomingMessage,
    res: ServerResponse,
    route: string,
    attributes: Attributes,
    startTime?: number,
  ): Span {
    const { method = '' } = req;
    const span = this.#tracer.startSpan(
      `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: { [METHOD]: method, [ROUTE]: route, ...attributes },
        ...(startTime === undefined ? {} : { startTime }),
      },
      takeParent(req.headers),
    );
    handOn(req.headers, span);
    res.once('close', () => end(span, res));
    return span;
  }
}

/**
 * Returns the trace context of the client's header `traceparent`. If this header is missing or invalid, deletes
 * `tracestate`, which has no meaning without it, and returns a context without a parent.
 */
function takeParent(headers: IncomingHttpHeaders): Context {
  const { traceparent } = headers;
  const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
  if (parent !== null) return trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
  delete headers.tracestate;
  return ROOT_CONTEXT;
}

function handOn(headers: IncomingHttpHeaders, span: Span): void {
  const { traceId, spanId, traceFlags } = span.spanContext();
  headers.traceparent = `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? '01' : '00'}`;
}

function end(span: Span, { statusCode, writableFinished }: ServerResponse): void {
  if (writableFinished) span.setAttribute(STATUS, statusCode);
  if (!writableFinished || statusCode >= 500) {
    span.setAttribute(ERROR, writableFinished ? String(statusCode) : 'aborted');
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/**
 * Returns a hash of the session id. The id itself is not recorded, because on a server that does not check commands,
 * anyone who knows the id can control the session.
 */
function hashOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex').slice(0, 16);
}
