import { SITE } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';

/** What the server's document uses of JSON Schema. */
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
  readonly parameters: readonly Parameter[];
  readonly body: TypedSchema | undefined;
  readonly answers: readonly { readonly status: string; readonly body: TypedSchema | undefined }[];
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

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
}

export function referenceOf({ info, paths }: Document): Reference {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => operationOf(method.toUpperCase(), path, raw)),
  );
  return { title: info.title, version: info.version, operations };
}

function operationOf(method: string, path: string, raw: RawOperation): Operation {
  return {
    id: raw.operationId ?? `${method} ${path}`,
    method,
    path,
    tag: raw.tags?.[0] ?? '',
    summary: raw.summary ?? '',
    parameters: raw.parameters ?? [],
    body: schemaOf(raw.requestBody),
    answers: Object.entries(raw.responses ?? {}).map(([status, answer]) => ({
      status,
      body: schemaOf(answer),
    })),
  };
}

function schemaOf(holder: Content | undefined): TypedSchema | undefined {
  const [first] = Object.entries(holder?.content ?? {});
  if (first === undefined) return undefined;
  const [mediaType, { schema }] = first;
  return schema === undefined || schema.type === 'null' ? undefined : { mediaType, schema };
}

/** Routes by the first part of their path, in the document's order. */
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
