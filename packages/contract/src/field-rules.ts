/**
 * JSON Schema keywords for a rule between the fields of an object. Rules with a condition use `if` and not `oneOf` or
 * `anyOf`, because client generators give an object with `oneOf` or `anyOf` no type.
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

/**
 * Returns a rule with a condition. An object that meets the condition must also meet `then`; every other object must
 * meet `otherwise`, if it is given.
 */
export function when(condition: FieldRule, then: FieldRule, otherwise?: FieldRule): FieldRule {
  return { if: condition, then, ...(otherwise === undefined ? {} : { else: otherwise }) };
}

/** Returns the rule that an object must meet `otherwise` unless it meets the condition. */
export function unless(condition: FieldRule, otherwise: FieldRule): FieldRule {
  return { if: condition, else: otherwise };
}

/** Returns the rule that the object must have the field. */
export function has(field: string): FieldRule {
  return { required: [field], properties: { [field]: {} } };
}

/** Returns the rule that the object must have the field with this value. */
export function hasValue(field: string, value: string): FieldRule {
  return { required: [field], properties: { [field]: { const: value } } };
}

/** Returns the rule that the object must have the field, and that the field is a list with at least one item. */
export function hasItems(field: string): FieldRule {
  return { required: [field], properties: { [field]: { minItems: 1 } } };
}

/** Returns the rule that the object must have none of the fields. */
export function hasNone(...fields: readonly string[]): FieldRule {
  return { properties: Object.fromEntries(fields.map((field) => [field, false] as const)) };
}
