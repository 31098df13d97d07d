import { ERROR_STATUS, errorBody, ROOM_PREFIXES } from '@svc/contract';
import { drainBody } from '../plugins/drain-body.ts';
import type { SendError } from '../plugins/errors.ts';
import type { Room } from './room.ts';

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Sends an error in the format of RFC 7644 3.12. The status is a text there. */
export const sendScimError: SendError = (reply, code, fields = {}) => {
  const status = ERROR_STATUS[code];
  const { message, retryAfter } = errorBody(code, fields);
  if (status === 413) drainBody(reply.request, reply);
  if (typeof retryAfter === 'number') reply.header('retry-after', retryAfter);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .header('content-type', 'application/scim+json; charset=utf-8')
    .send(JSON.stringify({ schemas: [SCHEMA], status: String(status), detail: message ?? code }));
};

/** Room of an identity provider that reports who joins and who leaves (RFC 7644). */
export const scimRoom: Room = {
  prefix: ROOM_PREFIXES.scim,
  sendError: sendScimError,
  serve: () => undefined,
};
