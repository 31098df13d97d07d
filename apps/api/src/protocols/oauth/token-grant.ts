import type { FastifyRequest } from 'fastify';
import type { Form } from './form.ts';

/** One `grant_type` of `POST /svc/oauth/token`. */
export interface TokenGrant {
  /** Value of `grant_type`. */
  readonly type: string;
  /**
   * True if the grant also works without a usable `SVC_PUBLIC_URL`. Without that setting, the server refuses every
   * other grant as unsupported.
   */
  readonly withoutPublicUrl?: true;
  /**
   * Returns whether the form names something that an unauthenticated client cannot guess, or an issuer that the lab
   * trusts. Such a request is checked even if too many grants of its sender were refused, so that a flood does not shut
   * it out.
   */
  readonly isKnown: (form: Form) => boolean;
  /**
   * Returns the members of a successful response (RFC 6749 5.1), or fails with an `OAuthRefusal`. A refusal with the
   * code `invalid_grant` counts as a refused attempt of the sender.
   */
  readonly answer: (form: Form, request: FastifyRequest) => object | Promise<object>;
}
