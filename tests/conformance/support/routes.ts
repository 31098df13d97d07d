import { readFileSync } from 'node:fs';

/** One row of the golden route table. */
export interface Route {
  readonly method: string;
  /** Path below `/svc/api`, with `:names` for parameters. */
  readonly path: string;
  readonly isPublic: boolean;
  /** The credential of the route is a ticket. */
  readonly takesTicket: boolean;
}

const golden: { method: string; path: string; access: unknown }[] = JSON.parse(
  readFileSync(new URL('../../golden/routes.json', import.meta.url), 'utf8'),
);

export const routes: readonly Route[] = golden.map(({ method, path, access }) => ({
  method,
  path: path.slice('/svc/api'.length),
  isPublic: access === 'public',
  takesTicket: access === 'ticket',
}));

const openapi: {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: BodySchema }> } }>
  >;
  components: { schemas: Record<string, BodySchema> };
} = JSON.parse(readFileSync(new URL('../../golden/openapi.json', import.meta.url), 'utf8'));

interface BodySchema {
  readonly $ref?: string;
  readonly properties?: Record<string, unknown>;
}

/** @returns the fields of the route's body, or undefined if it declares none */
export function bodyFields({ method, path }: Route): string[] | undefined {
  const documented = `/svc/api${path}`.replace(/:(\w+)/g, '{$1}');
  const body = openapi.paths[documented]?.[method.toLowerCase()]?.requestBody;
  if (body === undefined) return undefined;
  const name = body.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
  return Object.keys(openapi.components.schemas[name]?.properties ?? {});
}

/** @returns whether the body is a file instead of JSON */
export function takesFile({ method, path }: Route): boolean {
  const body = openapi.paths[`/svc/api${path}`]?.[method.toLowerCase()]?.requestBody;
  return body?.content['multipart/form-data'] !== undefined;
}

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** @returns the path with every parameter replaced */
export function filled({ path }: Route, id = UNKNOWN_ID): string {
  return path.replace(/:\w+/g, id);
}
