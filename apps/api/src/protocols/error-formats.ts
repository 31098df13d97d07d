import type { ErrorFormat } from '@svc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../http/http-context.ts';
import { type SendError, sendError } from '../plugins/errors.ts';
import { sendMcpError } from './mcp-errors.ts';
import { answerOAuthRefusals, sendOAuthError } from './oauth/oauth-errors.ts';
import { answerScimRefusal, sendScimError } from './scim/scim-errors.ts';

interface ErrorSenders {
  /** Sends an error of the API in this format. */
  readonly send: SendError;
  /**
   * Sends the response to an error class of the protocol, such as `OAuthRefusal`. Returns undefined for every other
   * error, which the caller then passes to the common error handler.
   */
  readonly sendOwn?: (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => FastifyReply | undefined;
}

export function errorSenders(format: ErrorFormat, context: HttpContext): ErrorSenders {
  switch (format) {
    case 'api':
      return { send: sendError };
    case 'oauth':
      return { send: sendOAuthError, sendOwn: answerOAuthRefusals(context) };
    case 'scim':
      return { send: sendScimError, sendOwn: answerScimRefusal };
    case 'mcp':
      return { send: sendMcpError(context) };
  }
}
