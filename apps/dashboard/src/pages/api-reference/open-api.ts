import { SITE } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';

/** The JSON Schema keywords that the server's OpenAPI document uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface RawOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content & { readonly description?: string }>>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: TypedSchema | undefined;
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly status: string;
  /** Description of the response, or the list of its error codes. */
  readonly description: string;
  /** Schema of the response's body. Undefined for errors, because all errors have the same schema. */
  readonly body: TypedSchema | undefined;
}

export interface TypedSchema {
  readonly mediaType: string;
  readonly schema: Schema;
}

export interface Reference {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly Operation[];
}

export const DOCUMENT = `${SITE}openapi.json`;

export async function loadReference(signal: AbortSignal): Promise<Reference> {
  const answer = await fetch(DOCUMENT, { signal, credentials: 'same-origin' }).catch(() => undefined);
  if (answer === undefined) throw new ApiError({ status: 0, code: 'unreachable' });
  if (!answer.ok) throw new ApiError({ status: answer.status, code: 'unexpected_answer' });
  return referenceOf(await answer.json());
}

type Paths = Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Paths;
  readonly 'x-websockets'?: Paths;
}

export function referenceOf(document: Document): Reference {
  const { info, paths, 'x-websockets': webSockets = {} } = resolved(document, document) as Document;
  const operations = [...operationsOf(paths), ...operationsOf(webSockets)];
  return { title: info.title, version: info.version, operations };
}

function operationsOf(paths: Paths): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => operationOf(method.toUpperCase(), path, raw)),
  );
}

/**
 * Replaces every `$ref` in a value by the object to which it refers. This terminates, because no schema of the document
 * contains itself.
 */
function resolved(value: unknown, document: object): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { readonly $ref?: unknown };
  if (typeof $ref === 'string') return resolved(named($ref, document), document);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, document)]));
}

/** Returns the object of the document to which a reference such as `#/components/schemas/User` refers. */
function named(reference: string, document: object): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], document);
}

function operationOf(method: string, path: string, raw: RawOperation): Operation {
  return {
    id: raw.operationId ?? `${method} ${path}`,
    method,
    path,
    tag: raw.tags?.[0] ?? '',
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    parameters: raw.parameters ?? [],
    body: schemaOf(raw.requestBody),
    answers: Object.entries(raw.responses ?? {}).map(([status, answer]) => ({
      status,
      description: answer.description ?? '',
      body: status < '400' ? schemaOf(answer) : undefined,
    })),
  };
}

function schemaOf(holder: Content | undefined): TypedSchema | undefined {
  const [first] = Object.entries(holder?.content ?? {});
  if (first === undefined) return undefined;
  const [mediaType, { schema }] = first;
  return schema === undefined ? undefined : { mediaType, schema };
}

/** Groups the operations by their first tag, in the order of the document. */
export function byTag(
  operations: readonly Operation[],
): readonly (readonly [tag: string, readonly Operation[]])[] {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const group = groups.get(operation.tag);
    if (group === undefined) groups.set(operation.tag, [operation]);
    else group.push(operation);
  }
  return [...groups];
}
