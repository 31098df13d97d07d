import type { CredentialProof, Proof } from './access.ts';
import type { ErrorCode } from './errors.ts';
import { HEADERS, SIGN_IN_COOKIE } from './names.ts';

/** Header, cookie or query parameter that carries a proof or a part of it. */
export interface ProofPart {
  readonly in: 'header' | 'cookie' | 'query';
  /** Name of the header in lower case, of the cookie, or of the query parameter. */
  readonly name: string;
  /** Format of a bearer token, if the header is `Authorization: Bearer …`. */
  readonly bearer?: 'JWT' | 'opaque';
  /** Name of this part in the security schemes of the OpenAPI document. */
  readonly openApiName: string;
  readonly description: string;
}

/** One way to prove who sends a request (specification 5.1, 5.8). */
export interface ProofScheme {
  /** Error code with which the server refuses an invalid proof of this kind. */
  readonly refusal: ErrorCode;
  /** Kind of sender that uses this proof. CORS lets pages of other origins send only the headers of clients' proofs. */
  readonly sentBy: 'client' | 'hub' | 'scraper';
  /** Parts of the proof. A request must contain all of them. */
  readonly parts: readonly ProofPart[];
}

/**
 * All proofs that the server accepts. Three lists are derived from this table: the documented security schemes, the
 * headers that pages of other origins may send, and the headers that are removed before a request is forwarded.
 */
export const PROOF_SCHEMES = {
  key: {
    refusal: 'invalid credentials',
    sentBy: 'client',
    parts: [
      {
        in: 'header',
        name: HEADERS.accessKey,
        openApiName: 'accessKey',
        description:
          'One half of a key pair: the access key, which names the account. A request with only one half is refused.',
      },
      {
        in: 'header',
        name: HEADERS.token,
        openApiName: 'accessKeyToken',
        description: 'The other half of a key pair: a Profile token or an API key of that account.',
      },
    ],
  },
  bearer: {
    refusal: 'invalid token',
    sentBy: 'client',
    parts: [
      {
        in: 'header',
        name: 'authorization',
        bearer: 'JWT',
        openApiName: 'bearer',
        description: 'A token of `POST /svc/api/auth/token`.',
      },
    ],
  },
  'sign-in': {
    refusal: 'invalid session',
    sentBy: 'client',
    parts: [
      {
        in: 'cookie',
        name: SIGN_IN_COOKIE,
        openApiName: 'signInCookie',
        description:
          'A dashboard sign-in. Requests that change something also need an `Origin` or `Referer` of this server (specification 5.6).',
      },
    ],
  },
  ticket: {
    refusal: 'invalid ticket',
    sentBy: 'client',
    parts: [
      {
        in: 'query',
        name: 'ticket',
        openApiName: 'ticket',
        description: 'A ticket, which is valid once, for one thing, for a short time.',
      },
    ],
  },
  'hub-token': {
    refusal: 'invalid token',
    sentBy: 'hub',
    parts: [
      {
        in: 'header',
        name: HEADERS.hubToken,
        openApiName: 'hubToken',
        description: 'A token that a hub sends to its node. Users never create or send one.',
      },
    ],
  },
  'scrape-token': {
    refusal: 'invalid token',
    sentBy: 'scraper',
    parts: [
      {
        in: 'header',
        name: 'authorization',
        bearer: 'opaque',
        openApiName: 'scrapeToken',
        description: 'The value of `SVC_METRICS_TOKEN`, for Prometheus.',
      },
    ],
  },
} as const satisfies Readonly<Record<string, ProofScheme>>;
export type ProofSchemeName = keyof typeof PROOF_SCHEMES;

/** @returns the scheme that carries a proof: a key of kind `scim` and the token of an agent are bearer tokens */
export function schemeOfProof({ by }: Exclude<Proof, CredentialProof>): ProofSchemeName {
  return by === 'scim-key' || by === 'mcp-bearer' ? 'bearer' : by;
}

const SCHEMES: readonly ProofScheme[] = Object.values(PROOF_SCHEMES);

/** @returns the names of the headers that carry the proof, in lower case; `cookie` if a cookie carries it */
export function headersOfProof(name: ProofSchemeName): readonly string[] {
  return headersOf(PROOF_SCHEMES[name]);
}

/**
 * Headers that carry a proof, in lower case. They are removed from every request that is forwarded, because its
 * receiver could use the credentials.
 */
export const PROOF_HEADERS: readonly string[] = [...new Set(SCHEMES.flatMap(headersOf))];

/**
 * Headers with which a page of another origin may prove who sends a request. `Cookie` is not among them, because only
 * the browser can set it.
 */
export const PROOF_HEADERS_OF_PAGES: readonly string[] = SCHEMES.filter(
  ({ sentBy }) => sentBy === 'client',
).flatMap(({ parts }) => parts.filter((part) => part.in === 'header').map(({ name }) => name));

function headersOf({ parts }: ProofScheme): readonly string[] {
  return parts.flatMap((part) => {
    if (part.in === 'query') return [];
    return part.in === 'cookie' ? ['cookie'] : [part.name];
  });
}
