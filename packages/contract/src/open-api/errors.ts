import { ERROR_STATUS, type ErrorCode, errorBody, errorsOf, type Route, routes } from '../index.ts';
import type { JsonSchema } from './schemas.ts';

/**
 * Error codes that an HTTP response can have. Commands on the server's host use further codes, which the document
 * leaves out.
 */
const ANSWERED = new Set(
  Object.values<Route>(routes)
    .filter(({ webSocket }) => !webSocket)
    .flatMap(errorsOf),
);
const CODES = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => ANSWERED.has(code));

/** Schema of the body of every error response (contract 1). */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Every refusal. A later version may add codes and fields.',
  required: ['error'],
  properties: {
    error: { $ref: '#/components/schemas/ErrorCode' },
    message: { type: 'string', description: 'A sentence for a person.' },
    required: { type: 'string', description: 'The role or scope that is missing.' },
    scopes: { type: 'array', items: { type: 'string' }, description: 'The scopes that were refused.' },
    field: { type: 'string', description: 'The setting that was refused.' },
    allowed: {
      type: 'array',
      items: {},
      description: 'The values that are allowed instead of the refused one.',
    },
    category: { type: 'string', description: 'The rate category that is used up (specification 8.1).' },
    retryAfter: { type: 'integer', description: 'Seconds, as in `Retry-After`.' },
    limit: { type: 'integer', description: 'The maximum number that is allowed.' },
    udids: {
      type: 'array',
      items: { type: 'string' },
      description: 'The devices that other servers already offer.',
    },
    members: { type: 'integer', description: 'Members of the team.' },
    devices: { type: 'integer', description: 'Devices of the team.' },
    apiKeys: { type: 'integer', description: 'API keys of the team.' },
    trustRules: { type: 'integer', description: 'Trust rules of the team; absent if there are none.' },
    webhooks: { type: 'integer', description: 'Webhooks for the team only; absent if there are none.' },
  },
};

export const ERROR_CODE_SCHEMA: JsonSchema = {
  type: 'string',
  description: 'The specification’s message or code, unchanged.',
  enum: CODES,
};

/** Fields that the example of a code shows in addition to `error`. A `message` here replaces the code's usual message. */
const FIELDS: Partial<Record<ErrorCode, object>> = {
  insufficient_role: { required: 'Admin' },
  insufficient_scope: { required: 'admin' },
  unknown_scope: { scopes: ['everything'] },
  scope_exceeds_key: { scopes: ['svc:recordings'] },
  scope_exceeds_credential: { scopes: ['admin'] },
  invalid_setting: { field: 'maxSessions', message: 'is not a whole number' },
  invalid_lease: { message: 'minutes: a whole number of 1 to 480' },
  too_many_tokens: { limit: 500 },
  too_many_leases: { limit: 8 },
  too_many_passkeys: { limit: 20 },
  team_not_empty: { members: 2, devices: 1, apiKeys: 0 },
  bad_request: {
    message: 'format: must be one of svc, slack, teams',
    allowed: ['svc', 'slack', 'teams'],
  },
  limit_reached: { message: 'limits: at most 2, the limit of the token that asks' },
  'too many login attempts': { retryAfter: 240 },
  'too many reset requests': { retryAfter: 600 },
  'too many password attempts': { retryAfter: 600 },
  'rate limit exceeded': { category: 'change', retryAfter: 2 },
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'No valid credential',
  403: 'Not allowed',
  404: 'Does not exist, or the caller may not see it',
  409: 'The request conflicts with the current state',
  413: 'Too large',
  415: 'The body is not JSON in UTF-8, or not a file of the expected type',
  429: 'Too many requests',
  500: 'Unexpected',
  502: 'The driver failed',
  503: 'The check could not run; nothing was changed',
  507: 'No space left',
};

/** Error responses that many routes share, by their names in the document, so that each is written only once. */
const SHARED: Readonly<Record<string, readonly ErrorCode[]>> = {
  BadRequest: ['bad_request'],
  Unauthorized: ['invalid credentials', 'invalid token', 'invalid session', 'unauthenticated'],
  OtherOrigin: [
    'CSRF: Origin or Referer header required',
    'CSRF: invalid Origin/Referer',
    'CSRF: Origin/Referer mismatch',
  ],
  ForbiddenToRead: ['insufficient_role', 'insufficient_scope'],
  ForbiddenToChange: [
    'CSRF: Origin or Referer header required',
    'CSRF: invalid Origin/Referer',
    'CSRF: Origin/Referer mismatch',
    'insufficient_role',
    'insufficient_scope',
  ],
  NotFound: ['not_found'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  RateLimited: ['rate limit exceeded'],
  Unexpected: ['internal'],
  Unavailable: ['unavailable'],
};
const SHARED_NAMES = new Map(Object.entries(SHARED).map(([name, codes]) => [codes.join(), name]));

/** Returns one example for each error code, by its key in the document. */
export function errorExamples(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    CODES.map((code) => [keyOf(code), { summary: code, value: errorBody(code, FIELDS[code]) }]),
  );
}

export function sharedResponses(): Readonly<Record<string, JsonSchema>> {
  const responses = Object.entries(SHARED).map(([name, codes]) => [name, errorResponse(codes)]);
  return Object.fromEntries(responses);
}

/** Returns the error responses of a route by status, each with the codes that it can have. */
export function errorResponses(route: Route): Readonly<Record<string, JsonSchema>> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const status = ERROR_STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => {
    // A refused WebSocket upgrade gets only a status, so there is no body to describe (contract 2).
    if (route.webSocket) return [status, { description: describe(codes) }];
    const shared = SHARED_NAMES.get(codes.join());
    return [
      status,
      shared === undefined ? errorResponse(codes) : { $ref: `#/components/responses/${shared}` },
    ];
  });
  return Object.fromEntries(responses);
}

function errorResponse(codes: readonly ErrorCode[]): JsonSchema {
  const isLimit = ERROR_STATUS[codes[0] as ErrorCode] === 429;
  return {
    description: describe(codes),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(isLimit ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          codes.map((code) => [keyOf(code), { $ref: `#/components/examples/${keyOf(code)}` }]),
        ),
      },
    },
  };
}

function describe(codes: readonly ErrorCode[]): string {
  const status = ERROR_STATUS[codes[0] as ErrorCode];
  return `${TITLES[status] ?? `Status ${status}`}: ${codes.map((code) => `\`${code}\``).join(', ')}.`;
}

/** Converts an error code to a key of the document, which may contain only letters, digits and `_`. */
function keyOf(code: ErrorCode): string {
  return code.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}
