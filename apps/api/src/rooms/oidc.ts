import { ROOM_PREFIXES } from '@svc/contract';
import type { HttpContext } from '../http/http-context.ts';
import { parseForms } from './oauth/form.ts';
import { answerOAuthRefusals, sendOAuthError } from './oauth/oauth-errors.ts';
import type { Room } from './room.ts';

/** Opens the room of the OpenID provider: form bodies, and errors in the format of RFC 6749. */
export function oidcRoom(context: HttpContext): Room {
  return {
    prefix: ROOM_PREFIXES.oidc,
    sendError: sendOAuthError,
    answerOwn: answerOAuthRefusals(context),
    parseBodies: parseForms,
    serve: () => undefined,
  };
}
