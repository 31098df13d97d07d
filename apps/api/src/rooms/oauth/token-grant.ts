import type { FastifyRequest } from 'fastify';
import type { Form } from './form.ts';

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
