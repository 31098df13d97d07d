import { ScimRefusal, type ScimType } from '@svc/accounts';
import { ERROR_STATUS, type ErrorCode, errorBody } from '@svc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { drainBody } from '../../plugins/drain-body.ts';
import type { SendError } from '../../plugins/errors.ts';

export const SCIM_TYPE = 'application/scim+json; charset=utf-8';
const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** SCIM error type for each error code of the API. For a code that is not listed, the response has no `scimType`. */
const TYPES: Partial<Record<ErrorCode, ScimType>> = {
  bad_request: 'invalidSyntax',
  conflict: 'uniqueness',
  invalid_email: 'invalidValue',
  invalid_name: 'invalidValue',
};
const DETAILS: Partial<Record<ErrorCode, string>> = {
  conflict: 'Another account has this e-mail address',
  invalid_email: 'userName: must be an e-mail address',
  invalid_name: 'displayName: must have 1 to 100 characters, without control characters',
};
/** Path patterns of the SCIM routes with their methods, for the header `Allow` of a response with status 405. */
const METHODS: readonly (readonly [address: RegExp, methods: string])[] = [
  [/^\/svc\/scim\/v2\/Users$/, 'GET, POST'],
  [/^\/svc\/scim\/v2\/Users\/[^/]+$/, 'GET, PUT, PATCH, DELETE'],
  [/^\/svc\/scim\/v2\/(?:ServiceProviderConfig|(?:ResourceTypes|Schemas)(?:\/[^/]+)?)$/, 'GET'],
];

/** Sends an error of the API in the format of RFC 7644 3.12. */
export const sendScimError: SendError = (reply, code, fields = {}) => {
  const status = ERROR_STATUS[code];
  const { message, retryAfter } = errorBody(code, fields);
  if (status === 413) drainBody(reply.request, reply);
  if (typeof retryAfter === 'number') reply.header('retry-after', retryAfter);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  const methods = status === 404 ? otherMethodsOf(reply.request) : undefined;
  if (methods !== undefined) {
    reply.header('allow', methods);
    return send(reply, 405, undefined, `This address has the methods ${methods}`);
  }
  return send(reply, status, TYPES[code], message ?? DETAILS[code] ?? code);
};

/** Sends the response to a `ScimRefusal`. Returns undefined for every other error. */
export function answerScimRefusal(
  error: unknown,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  return error instanceof ScimRefusal ? send(reply, error.status, error.scimType, error.detail) : undefined;
}

function otherMethodsOf({ is404, url }: FastifyRequest): string | undefined {
  const [path = ''] = url.split('?', 1);
  return is404 ? METHODS.find(([address]) => address.test(path))?.[1] : undefined;
}

/** Sends an error response. The body repeats the status as text (RFC 7644 3.12). */
function send(
  reply: FastifyReply,
  status: number,
  scimType: ScimType | undefined,
  detail: string,
): FastifyReply {
  const type = scimType === undefined ? {} : { scimType };
  return reply
    .code(status)
    .header('content-type', SCIM_TYPE)
    .send(JSON.stringify({ schemas: [SCHEMA], status: String(status), ...type, detail }));
}
