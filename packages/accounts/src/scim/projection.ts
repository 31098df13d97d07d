import { isRecord } from '@svc/contract';
import { attributeName } from './names.ts';
import type { Resource } from './resources.ts';
import { ScimRefusal } from './scim-refusal.ts';

/** Attributes that every response contains, even if the request excludes them (RFC 7643 2.4, `returned`). */
const ALWAYS: ReadonlySet<string> = new Set(['schemas', 'id']);
const MOST_NAMES = 100;

/** Function that removes from a resource the attributes that a request did not ask for. */
export type Projection = (resource: Resource) => Resource;

/** @returns the projection for the query parameters `attributes` and `excludedAttributes` (RFC 7644 3.9) */
export function projectionOf(attributes: string | undefined, excluded: string | undefined): Projection {
  if (attributes !== undefined && excluded !== undefined)
    throw new ScimRefusal(400, 'invalidValue', 'attributes and excludedAttributes cannot be used together');
  if (attributes !== undefined) {
    const names = namesIn(attributes);
    return (resource) => selected(resource, (name) => ALWAYS.has(name) || names.has(name), names, '');
  }
  if (excluded === undefined) return (resource) => resource;
  const names = namesIn(excluded);
  return (resource) => without(resource, names, '');
}

function namesIn(text: string): ReadonlySet<string> {
  const names = text.split(',').map((name) => attributeName(name.trim()));
  if (names.length > MOST_NAMES) throw new ScimRefusal(400, 'invalidValue', 'too many attributes');
  return new Set(names);
}

function selected(
  resource: Resource,
  wanted: (name: string) => boolean,
  names: ReadonlySet<string>,
  prefix: string,
): Resource {
  const entries = Object.entries(resource).flatMap(([key, value]) => {
    const name = prefix + key.toLowerCase();
    if (wanted(name)) return [[key, value]];
    const hasParts = [...names].some((each) => each.startsWith(`${name}.`));
    if (!hasParts) return [];
    return [[key, eachPart(value, (part) => selected(part, (each) => names.has(each), names, `${name}.`))]];
  });
  return Object.fromEntries(entries);
}

function without(resource: Resource, names: ReadonlySet<string>, prefix: string): Resource {
  const entries = Object.entries(resource).flatMap(([key, value]) => {
    const name = prefix + key.toLowerCase();
    if (names.has(name) && !(prefix === '' && ALWAYS.has(name))) return [];
    return [[key, eachPart(value, (part) => without(part, names, `${name}.`))]];
  });
  return Object.fromEntries(entries);
}

function eachPart(value: unknown, change: (part: Resource) => Resource): unknown {
  if (Array.isArray(value)) return value.map((each) => (isRecord(each) ? change(each) : each));
  return isRecord(value) ? change(value) : value;
}
