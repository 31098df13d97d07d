import validators, { type ErrorObject } from '@fastify/ajv-compiler';
import serializers from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type CompilersFactory = Required<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
>;

/**
 * Options of the validator Ajv. Values are never converted to the type in the schema; a value that does not match is
 * refused.
 */
export const AJV = {
  customOptions: { removeAdditional: false, coerceTypes: false, allErrors: false },
} satisfies FastifyServerOptions['ajv'];

interface Validator {
  (value: unknown): unknown;
  errors?: ErrorObject[] | null;
}

/**
 * Returns Fastify's own schema compilers, changed so that each schema is compiled on its first use. Compiling all
 * schemas at the start would take half of the start time, and 20 MB for routes that clients may never call. Because a
 * schema that cannot be compiled does not prevent the start, a test compiles each schema (docs/decisions/0025).
 */
export function lazySchemas(): CompilersFactory {
  const [validatorsFor, serializersFor] = [validators(), serializers()];
  return {
    buildValidator: ((...given: Parameters<typeof validatorsFor>) => {
      const compile = validatorsFor(...given) as (part: unknown) => Validator;
      return (part: unknown) => lazyValidator(() => compile(part));
    }) as CompilersFactory['buildValidator'],
    buildSerializer: (...given) => {
      const compile = serializersFor(...given);
      return (part) => lazySerializer(() => compile(part));
    },
  };
}

function lazyValidator(compile: () => Validator): Validator {
  let compiled: Validator | undefined;
  const validator: Validator = (value) => {
    compiled ??= compile();
    if (compiled(value)) return true;
    // Fastify reads the validation errors from this property of the validator function.
    validator.errors = compiled.errors ?? null;
    return false;
  };
  return validator;
}

type Serializer = (value: unknown) => string;

function lazySerializer(compile: () => Serializer): Serializer {
  let compiled: Serializer | undefined;
  return (value) => {
    compiled ??= compile();
    return compiled(value);
  };
}
