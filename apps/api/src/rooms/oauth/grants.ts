import type { FastifyRequest } from 'fastify';
import type { HttpContext } from '../../http/http-context.ts';
import type { Form } from './form.ts';
import { jwtBearer, tokenExchange } from './workload-grants.ts';

/** One `grant_type` of `POST /svc/oauth/token`. */
export interface TokenGrant {
  /** Value of `grant_type`. */
  readonly type: string;
  /** Present if the grant works without a usable `SVC_PUBLIC_URL`. Every other grant is unsupported then. */
  readonly withoutPublicUrl?: true;
  /**
   * Answers a request with the members of a successful response (RFC 6749 5.1). Throws or rejects with an
   * `OAuthRefusal`. `invalid_grant` counts as a refused attempt of the client's network.
   */
  readonly answer: (form: Form, request: FastifyRequest) => object | Promise<object>;
}

/** Every grant of this server. A new grant is one file and one line here. */
const GRANTS: readonly ((context: HttpContext) => TokenGrant)[] = [tokenExchange, jwtBearer];

/** @returns the grants by their `grant_type`, without those that need a public address if there is none */
export function grantsOf(context: HttpContext, publicUrl: string | null): ReadonlyMap<string, TokenGrant> {
  return new Map(
    GRANTS.map((grant) => grant(context))
      .filter(({ withoutPublicUrl }) => publicUrl !== null || withoutPublicUrl)
      .map((grant) => [grant.type, grant]),
  );
}
