import { OAuthRefusal } from '@svc/accounts';
import { ERROR_STATUS, type ErrorCode, errorBody, type OAuthErrorCode } from '@svc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../../http/http-context.ts';
import { drainBody } from '../../plugins/drain-body.ts';
import type { SendError } from '../../plugins/errors.ts';

/**
 * Value of `Retry-After` (seconds) in the responses to requests that could not be checked, for example because the
 * database failed.
 */
const RETRY_AFTER = 5;

/** Sends an error of the API in the format of RFC 6749 5.2. */
export const sendOAuthError: SendError = (reply, code, fields = {}) => {
  const status = ERROR_STATUS[code];
  const { message, retryAfter } = errorBody(code, fields);
  if (status === 413) drainBody(reply.request, reply);
  if (status === 429 || status === 503) {
    reply.header('retry-after', typeof retryAfter === 'number' ? retryAfter : RETRY_AFTER);
  }
  // RFC 6749 defines no status for a wrong media type, so respond with 400 as to any malformed request.
  return send(reply, status === 415 ? 400 : status, oauthCodeOf(code, status), descriptionOf(code, message));
};

function oauthCodeOf(code: ErrorCode, status: number): OAuthErrorCode {
  switch (status) {
    case 401:
      return code === 'invalid token' ? 'invalid_token' : 'invalid_client';
    case 403:
      return code === 'insufficient_scope' ? 'insufficient_scope' : 'access_denied';
    case 404:
      return 'not_found';
    case 429:
    case 503:
      return 'temporarily_unavailable';
    default:
      return status < 500 ? 'invalid_request' : 'server_error';
  }
}

function descriptionOf(code: ErrorCode, message: string | undefined): string {
  if (code === 'unsupported_media_type') return 'Send the body as application/x-www-form-urlencoded.';
  return message ?? code;
}

/**
 * Returns a function that sends the response to an `OAuthRefusal`, and returns undefined for every other error. If the
 * client or its grant was refused, the function also writes the reason to the audit trail; the client does not get this
 * reason.
 */
export function answerOAuthRefusals({ services: { audit } }: HttpContext) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    if (!(error instanceof OAuthRefusal)) return undefined;
    const { code, status, description, reason, group } = error;
    const route = `${request.method} ${request.routeOptions.url ?? 'unknown route'}`;
    if (status === 401 || status === 403 || code === 'invalid_grant') {
      audit.recordRefusal(status === 403 ? 'authz_fail' : 'authn_credential_fail', {
        actor: request.caller?.account.id ?? null,
        peer: request.from.peer,
        sender: request.from.sender,
        address: request.from.address,
        route: group === undefined ? route : `${route}, ${group}`,
        target: route,
        requestId: request.id,
        reason: reason === code ? code : `${code}: ${reason}`,
      });
    }
    if (status === 503) reply.header('retry-after', RETRY_AFTER);
    return send(reply, status, code, description);
  };
}

function send(
  reply: FastifyReply,
  status: number,
  error: OAuthErrorCode,
  description: string | undefined,
): FastifyReply {
  if (status === 401) reply.header('www-authenticate', challengeOf(error));
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(
      JSON.stringify({
        error,
        ...(description === undefined ? {} : { error_description: plain(description) }),
      }),
    );
}

/**
 * Returns the `WWW-Authenticate` challenge. It never names the scheme `Basic`, even if the client used it, because a
 * browser would then ask a person for a password (contract 15.1).
 */
function challengeOf(error: OAuthErrorCode): string {
  return error === 'invalid_token' ? 'Bearer error="invalid_token"' : 'Bearer';
}

/** Replaces the characters that RFC 6749 5.2 does not allow in a description. */
function plain(description: string): string {
  return description.replace(/["\\]|[^\x20-\x7e]/g, "'");
}
