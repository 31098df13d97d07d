import {
  documentedOf,
  isPublic,
  operationIdOf,
  type Route,
  routes,
  successStatus,
  type TSchema,
} from '../index.ts';
import { errorResponses } from './errors.ts';
import { TEXT_EXAMPLES } from './example-values.ts';
import { exampleOf } from './examples.ts';
import type { ComponentSchemas, JsonSchema } from './schemas.ts';
import { accessText, securityOf } from './security.ts';

const SENSITIVE =
  'Send `X-Auto-Is-Sensitive: true`, so that no log of the automation server keeps the body (specification 5.5).';
const SUCCESS: Readonly<Record<number, string>> = {
  101: 'The WebSocket is open.',
  200: 'Done.',
  201: 'Created.',
  204: 'Done; no content.',
  304: 'The file has not changed since the version that `If-None-Match` names.',
  503: 'Not ready.',
};

/** Returns the OpenAPI operation that describes a route. */
export function operationOf(route: Route, tag: string, schemas: ComponentSchemas): JsonSchema {
  const { access, summary, description, sensitive, uncounted } = route;
  const texts = [
    description,
    accessText(access),
    uncounted && 'Not counted against the rate limit.',
    sensitive && SENSITIVE,
  ];
  const parameters = parametersOf(route, schemas);
  return {
    operationId: operationIdOf(route),
    summary,
    description: texts.filter(Boolean).join('\n\n'),
    tags: [tag],
    security: securityOf(access),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(route, schemas),
    responses: responsesOf(route, schemas),
  };
}

function parametersOf({ params, query, headers }: Route, schemas: ComponentSchemas): readonly JsonSchema[] {
  return [
    ...parametersIn('path', params, schemas),
    ...parametersIn('query', query, schemas),
    ...parametersIn('header', headers, schemas),
  ];
}

function parametersIn(
  place: 'path' | 'query' | 'header',
  declared: TSchema | undefined,
  schemas: ComponentSchemas,
): readonly JsonSchema[] {
  if (declared === undefined) return [];
  const { properties, required = [] } = declared as unknown as ObjectSchema;
  return Object.entries(properties).map(([name, each]) => {
    const { description, ...schema } = schemas.write(each);
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(place === 'header' ? {} : { example: exampleOf(schemas, schema, name) }),
    };
  });
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
}

function bodyOf(route: Route, schemas: ComponentSchemas): JsonSchema {
  const { body, file, access } = route;
  if (file !== undefined) {
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: [file],
      properties: { [file]: { type: 'string', format: 'binary' } },
    };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
  }
  if (body === undefined) return {};
  const name = `${capitalised(operationIdOf(route))}Request`;
  const written = schemas.write(body, name);
  // Public routes ignore unknown fields, so only the other routes document that unknown fields are not allowed
  // (contract 1).
  if (!isPublic(access))
    schemas.add(name, { ...schemas.resolve(written).schema, additionalProperties: false });
  const { required = [] } = body as unknown as ObjectSchema;
  const isNeeded = required.length > 0 || documentedOf(body).rule?.minProperties !== undefined;
  const content = { schema: written, example: exampleOf(schemas, written) };
  return { requestBody: { required: isNeeded, content: { 'application/json': content } } };
}

function responsesOf(route: Route, schemas: ComponentSchemas): JsonSchema {
  const declared = Object.entries(route.responses).map(([status, schema]) => [
    status,
    responseOf(route, Number(status), schema, schemas),
  ]);
  return { ...errorResponses(route), ...Object.fromEntries(declared) };
}

function responseOf(
  route: Route,
  status: number,
  schema: TSchema | null,
  schemas: ComponentSchemas,
): JsonSchema {
  const links = status === successStatus(route) ? linksOf(route, schema) : {};
  return {
    description: SUCCESS[status] ?? `Status ${status}.`,
    ...(route.webSocket ? {} : { headers: headersOf(route, status) }),
    ...(schema === null ? {} : { content: contentOf(route, schema, schemas) }),
    ...(Object.keys(links).length === 0 ? {} : { links }),
  };
}

const RATE_HEADERS = ['X-RateLimit-Category', 'X-RateLimit-Remaining', 'X-RateLimit-Capacity'];

function headersOf({ access, uncounted, setsCookie }: Route, status: number): JsonSchema {
  // Only requests with a credential count against a rate limit. Requests with another proof, such as a ticket, do not.
  const isCounted = !uncounted && !isPublic(access) && access.accepts.every(({ by }) => by === 'credential');
  const names = [
    'X-Request-Id',
    ...(isCounted ? RATE_HEADERS : []),
    ...(setsCookie && status < 400 ? ['Set-Cookie'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function contentOf(route: Route, schema: TSchema, schemas: ComponentSchemas): JsonSchema {
  if (route.produces !== undefined) {
    const of = (type: string) => ({
      schema: type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' },
      ...(type in TEXT_EXAMPLES ? { example: TEXT_EXAMPLES[type] } : {}),
    });
    return Object.fromEntries(route.produces.map((type) => [type, of(type)]));
  }
  const written = schemas.write(schema, `${capitalised(operationIdOf(route))}Response`);
  return { 'application/json': { schema: written, example: exampleOf(schemas, written) } };
}

/**
 * Returns links from a created object to the routes below its address. Each link takes the object's id from the
 * response.
 */
function linksOf(route: Route, answer: TSchema | null): JsonSchema {
  if (route.method !== 'POST' || answer === null) return {};
  const { properties = {} } = answer as unknown as Partial<ObjectSchema>;
  const id = ['id', 'leaseId', 'name'].find((name) => name in properties);
  if (id === undefined) return {};
  const below = Object.values<Route>(routes).filter(({ path }) =>
    new RegExp(`^${route.path}/:(?:id|name)(?:/[^:]*)?$`).test(path),
  );
  const links = below.map((next) => {
    const operationId = operationIdOf(next);
    const [, parameter] = /:(\w+)/.exec(next.path) ?? [];
    return [operationId, { operationId, parameters: { [parameter as string]: `$response.body#/${id}` } }];
  });
  return Object.fromEntries(links);
}

function capitalised(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
