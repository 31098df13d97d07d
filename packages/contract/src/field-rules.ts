/**
 * JSON Schema keywords for a rule between the fields of an object. Rules with a condition use `if` and not `oneOf` or
 * `anyOf` of the object, because client generators make an untyped value of an object with one of these.
 */
export interface FieldRule {
  readonly if?: FieldRule;
  readonly then?: FieldRule;
  readonly else?: FieldRule;
  readonly anyOf?: readonly FieldRule[];
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<
    Record<string, false | { readonly minItems?: number; readonly const?: string }>
  >;
}

/** An object that meets the condition also meets `then`; every other object meets `otherwise`, if there is one. */
export function when(condition: FieldRule, then: FieldRule, otherwise?: FieldRule): FieldRule {
  return { if: condition, then, ...(otherwise === undefined ? {} : { else: otherwise }) };
}

/** An object that does not meet the condition meets `otherwise`. */
export function unless(condition: FieldRule, otherwise: FieldRule): FieldRule {
  return { if: condition, else: otherwise };
}

/** The object has the field. */
export function has(field: string): FieldRule {
  return { required: [field], properties: { [field]: {} } };
}

/** The object has the field with the value. */
export function hasValue(field: string, value: string): FieldRule {
  return { required: [field], properties: { [field]: { const: value } } };
}

/** The object has the field, which is a list with at least one item. */
export function hasItems(field: string): FieldRule {
  return { required: [field], properties: { [field]: { minItems: 1 } } };
}

/** The object has none of the fields. */
export function hasNone(...fields: readonly string[]): FieldRule {
  return { properties: Object.fromEntries(fields.map((field) => [field, false] as const)) };
}
