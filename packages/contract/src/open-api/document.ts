import { API_PREFIX, ROUTE_TAGS, SIGN_IN_COOKIE } from '../index.ts';
import { ERROR_CODE_SCHEMA, ERROR_SCHEMA, errorExamples, sharedResponses } from './errors.ts';
import { operationOf } from './operation.ts';
import { ComponentSchemas, type JsonSchema } from './schemas.ts';
import { SECURITY_SCHEMES } from './security.ts';

const DESCRIPTION = `Access control for an Appium device lab: accounts, keys, tokens, devices and driver sessions.

Every request below \`${API_PREFIX}\` carries a credential: a key pair in two headers, a bearer token, or the cookie of a dashboard sign-in, of which the first in this order counts. While sign-in is turned off, no credential is needed.

Refusals have one shape, \`Error\`, with the codes of each route at its responses. Unknown fields are refused in bodies, except on public routes, and ignored in queries. Times are ISO 8601 UTC, durations seconds.

WebSockets are not among the paths: they are described in the same way under \`x-websockets\`.`;

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': header(
    'Id of the request in the log and in the audit trail. A request may contain its own id: 1 to 128 of `[A-Za-z0-9._-]`.',
    { type: 'string' },
  ),
  'X-RateLimit-Category': header('Category of the rate limit to which the request counts.', {
    type: 'string',
    enum: ['read', 'change', 'ai'],
  }),
  'X-RateLimit-Remaining': header('Requests of this category that are left now.', { type: 'integer' }),
  'X-RateLimit-Capacity': header('Requests of this category in a minute.', { type: 'integer' }),
  'Retry-After': header('Seconds.', { type: 'integer' }),
  'Set-Cookie': header(`\`${SIGN_IN_COOKIE}\`: HttpOnly, SameSite=Strict, Secure over HTTPS.`, {
    type: 'string',
  }),
};

/**
 * Builds the OpenAPI document from the contract's routes. This takes some milliseconds, so callers should store the
 * result.
 */
export function openApiDocument(version: string): JsonSchema {
  const schemas = new ComponentSchemas();
  schemas.add('Error', ERROR_SCHEMA);
  schemas.add('ErrorCode', ERROR_CODE_SCHEMA);
  const paths: Paths = {};
  const webSockets: Paths = {};
  for (const { name, routes } of ROUTE_TAGS) {
    for (const route of Object.values(routes)) {
      const address = `${API_PREFIX}${route.path}`.replace(/:(\w+)/g, '{$1}');
      const into = route.webSocket ? webSockets : paths;
      into[address] = { ...into[address], [route.method.toLowerCase()]: operationOf(route, name, schemas) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      summary: 'Access control for an Appium device lab.',
      description: DESCRIPTION,
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0.html' },
    },
    servers: [{ url: '/', description: 'The server that sent this document.' }],
    tags: ROUTE_TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    'x-websockets': webSockets,
    components: {
      schemas: schemas.all(),
      responses: sharedResponses(),
      headers: HEADERS,
      examples: errorExamples(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

type Paths = Record<string, Readonly<Record<string, JsonSchema>>>;

function header(description: string, schema: JsonSchema): JsonSchema {
  return { description, schema };
}
