import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Audit, Conflict, RateLimitExceeded, Refusal, Unavailable } from '@svc/auth-core';
import { ERROR_STATUS, type ErrorCode, errorBody } from '@svc/contract';
import type { RefusalRecord } from '@svc/device-lab';
import { type BoundedLines, failureLines } from '@svc/module';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { CLIENT_ERROR_STATUS, isUntimed } from '../clients/client-limits.ts';
import { unknownField } from '../http/handle.ts';
import type { HttpContext } from '../http/http-context.ts';
import { isUpgrade } from '../http/upgrades.ts';
import { pathOf } from './access-lines.ts';
import { drainBody } from './drain-body.ts';

/**
 * Error code of the API for each error code of Fastify. Other errors without a 4xx status become 500 `internal`
 * (contract 1).
 */
const FRAMEWORK_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_TYPE: 'unsupported_media_type',
};

/** Sends the response to a refused or failed request, in the error format of a part of the server, such as the API. */
export type SendError = (reply: FastifyReply, code: ErrorCode, fields?: object) => FastifyReply;

export function sendError(reply: FastifyReply, code: ErrorCode, fields: object = {}): FastifyReply {
  if (isUpgrade(reply.request.raw)) return reply.code(ERROR_STATUS[code]).send();
  const body = errorBody(code, fields);
  if (typeof body.retryAfter === 'number') reply.header('retry-after', body.retryAfter);
  return reply
    .code(ERROR_STATUS[code])
    .header('content-type', 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

/**
 * Responds to bytes that are not a valid HTTP request. Writes to the socket, because Node.js creates no request for
 * them.
 */
export function answerClientErrors(error: NodeJS.ErrnoException, socket: Socket): void {
  if (isUntimed(error, socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = CLIENT_ERROR_STATUS[error.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify(errorBody('bad_request'));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * @returns an error handler that sends the response to every error with `send`. The API and each protocol (a part of the
 * server outside `/svc/api`) pass their own `send`, because their error formats differ.
 */
export function errorHandler(
  { services: { audit, clock, log, modules, metrics }, rateHeaders }: HttpContext,
  send: SendError = sendError,
): ErrorHandler {
  const { refusals } = modules.refusals.offers;
  const failures = failureLines(log, clock);
  return (error, request, reply) => {
    if (error instanceof Refusal) {
      metrics.requests.refused(error.code);
      noteRefusal(error, request, audit);
      refusals.note(explanation(error, request));
      if (error instanceof RateLimitExceeded) rateHeaders.set(reply, error.limit);
      return send(reply, error.code, error.fields);
    }
    if (error instanceof Conflict) return send(reply, 'conflict');
    if (error instanceof Unavailable) {
      metrics.requests.unavailable += 1;
      const line = `${error.message} (request ${request.id})`;
      failures.write(senderOf(request), line, { request: request.id, cause: String(error.cause ?? '') });
      return send(reply, 'unavailable');
    }
    return sendFrameworkError(error as FastifyError, request, reply, { failures, send });
  };
}

/**
 * Returns the address by which log lines about failures are limited, or `unknown` if the request failed before the
 * guard set its origin.
 */
function senderOf({ from }: FastifyRequest): string {
  return from?.sender ?? 'unknown';
}

/**
 * Records refused credentials, refused access and exceeded rate limits in the audit trail (see `Audit.recordRefusal`).
 * Failed sign-ins are left out, because the code of the sign-in writes audit rows for them.
 */
function noteRefusal(refusal: Refusal, request: FastifyRequest, audit: Audit): void {
  const { status, code, reason } = refusal;
  if (status !== 401 && status !== 403 && status !== 429) return;
  if (status === 401 && request.routeOptions.url?.endsWith('/auth/login')) return;
  const event =
    status === 401 ? 'authn_credential_fail' : status === 403 ? 'authz_fail' : 'excess_rate_limit_exceeded';
  audit.recordRefusal(event, {
    actor: request.caller?.account.id ?? null,
    peer: request.from?.peer ?? null,
    sender: request.from?.sender,
    address: request.from?.address ?? null,
    route: `${request.method} ${request.routeOptions.url ?? 'unknown route'}`,
    requestId: request.id,
    via: request.from?.via ?? null,
    reason: reason === code ? code : `${code}: ${reason}`,
  });
}

/** Returns the record of a refusal that `GET /explain/:requestId` shows. */
function explanation({ status, code, reason }: Refusal, request: FastifyRequest): RefusalRecord {
  return {
    requestId: request.id,
    kind: 'api',
    method: request.method,
    path: pathOf(request.url),
    status,
    error: code,
    reason,
    caller: request.caller?.account.id ?? null,
    address: request.from?.address ?? null,
    sessionId: null,
    ...request.routeOptions.config.checkedRequest?.(request),
  };
}

/** Returns the values that the schema allows, or undefined if the value was refused for a reason other than `enum`. */
function allowedValues(error: FastifySchemaValidationError | undefined): readonly unknown[] | undefined {
  return error?.keyword === 'enum' ? (error.params.allowedValues as readonly unknown[]) : undefined;
}

/** Returns what is wrong with a value. Ajv repeats the name of a missing field, which the message names already. */
function problemOf(error: FastifySchemaValidationError | undefined): string | undefined {
  return error?.keyword === 'required' ? 'is missing' : error?.message;
}

function shown(value: unknown): string {
  return value === null ? 'null' : String(value);
}

function sendFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  { failures, send }: { readonly failures: BoundedLines; readonly send: SendError },
): FastifyReply {
  if (error.validation !== undefined) {
    const [first] = error.validation;
    const unknown = first?.params?.additionalProperty;
    if (typeof unknown === 'string') return send(reply, 'bad_request', unknownField(unknown).fields);
    const missing = first?.params?.missingProperty as string | undefined;
    const field = [...(first?.instancePath.slice(1).split('/') ?? []), missing].filter(Boolean).join('.');
    const allowed = allowedValues(first);
    const problem =
      allowed === undefined ? problemOf(first) : `must be one of ${allowed.map(shown).join(', ')}`;
    const message = `${field ? `${field}: ${problem}` : (problem ?? 'does not match the schema')}`;
    return send(reply, 'bad_request', { message, ...(allowed === undefined ? {} : { allowed }) });
  }
  const code = FRAMEWORK_CODES[error.code];
  if (code === 'body_too_large') drainBody(request, reply);
  if (code !== undefined) return send(reply, code);
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return send(reply, 'bad_request');
  }
  failures.write(senderOf(request), `Unexpected error (request ${request.id})`, {
    request: request.id,
    error,
  });
  return send(reply, 'internal');
}
