import { OAuthRefusal } from '@svc/accounts';
import type { FastifyRequest } from 'fastify';
import type { HttpContext } from '../../http/http-context.ts';
import type { Form } from './form.ts';
import type { TokenGrant } from './token-grant.ts';

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';
const ACCESS_TOKEN = `${TOKEN_TYPE}access_token`;
const SUBJECT_TYPES = [`${TOKEN_TYPE}jwt`, `${TOKEN_TYPE}id_token`];
const REQUESTED_TYPES = [ACCESS_TOKEN, `${TOKEN_TYPE}jwt`];

/** Returns the grant that exchanges the token of a CI job for tokens of this server (RFC 8693). */
export function tokenExchange(context: HttpContext): TokenGrant {
  return {
    type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    isKnown: (form) => namesIssuer(context, form.get('subject_token')),
    answer: (form, request) => {
      const token = form.required('subject_token');
      if (!SUBJECT_TYPES.includes(form.required('subject_token_type')))
        throw new OAuthRefusal('invalid_request', `subject_token_type must be ${SUBJECT_TYPES.join(' or ')}`);
      if (!REQUESTED_TYPES.includes(form.get('requested_token_type') ?? ACCESS_TOKEN))
        throw new OAuthRefusal('invalid_request', `requested_token_type must be ${ACCESS_TOKEN}`);
      if (form.get('actor_token') !== undefined)
        throw new OAuthRefusal('invalid_request', 'actor_token is not supported');
      return exchange(context, token, form, request);
    },
  };
}

/** Returns the grant that accepts the token of a CI job as an assertion (RFC 7523). */
export function jwtBearer(context: HttpContext): TokenGrant {
  return {
    type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    isKnown: (form) => namesIssuer(context, form.get('assertion')),
    answer: (form, request) => exchange(context, form.required('assertion'), form, request),
  };
}

function namesIssuer({ services }: HttpContext, token: string | undefined): boolean {
  const { workloadTokens } = services.modules.accounts.offers;
  return token !== undefined && workloadTokens.namesIssuer(token);
}

async function exchange(
  { services }: HttpContext,
  token: string,
  form: Form,
  { from }: FastifyRequest,
): Promise<object> {
  const { workloadTokens } = services.modules.accounts.offers;
  const { accessToken, expiresIn, scopes, sessionToken } = await workloadTokens.exchange(
    token,
    form.get('scope'),
    from,
  );
  return {
    access_token: accessToken,
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope: scopes.join(' '),
    ...(sessionToken === null ? {} : { session_token: sessionToken }),
  };
}
