import { ERROR_STATUS, type ErrorCode, type McpScope } from '@svc/contract';
import { challenge } from '@svc/mcp';
import { identityUrl } from '@svc/settings';
import type { HttpContext } from '../http/http-context.ts';
import { drainBody } from '../plugins/drain-body.ts';
import { type SendError, sendError } from '../plugins/errors.ts';

/**
 * Returns a function that sends an error of the API to an agent. If the bearer token is missing, not valid or lacks a
 * scope, the header `WWW-Authenticate` says so (RFC 6750, RFC 9728).
 */
export function sendMcpError({ services: { config } }: HttpContext): SendError {
  const publicUrl = identityUrl(config);
  return (reply, code, fields = {}) => {
    const problem = problemOf(code, fields);
    if (problem !== undefined) reply.header('www-authenticate', challenge({ publicUrl, ...problem }));
    if (code === 'body_too_large') drainBody(reply.request, reply);
    return sendError(reply, code, fields);
  };
}

/** @returns what the challenge names: nothing if no token was sent, or undefined if the token is not the problem */
function problemOf(
  code: ErrorCode,
  { required: scope }: { readonly required?: McpScope },
): Omit<Parameters<typeof challenge>[0], 'publicUrl'> | undefined {
  if (code === 'insufficient_scope') return { error: code, scope };
  if (ERROR_STATUS[code] !== 401) return undefined;
  return code === 'unauthenticated' ? {} : { error: 'invalid_token' };
}
