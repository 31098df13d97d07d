import { isRecord } from '@svc/contract';

type Fields = Record<string, unknown>;

/**
 * Members that hold further capabilities, in lower case and without the prefix `appium:`. Appium moves the content of
 * `appium:options` one level up, twice, so `appium:options` can be in itself.
 */
const CONTAINERS = new Set([
  'capabilities',
  'alwaysmatch',
  'firstmatch',
  'desiredcapabilities',
  'requiredcapabilities',
  'options',
  // Code that copies a member of this name sets the prototype of the copy, from which other code then reads.
  '__proto__',
]);
const REPEATED_PREFIX = /^(?:\s*appium\s*:)+/i;

/**
 * Returns the name by which a driver may read a capability, in lower case. Appium's server and its driver each remove
 * one prefix `appium:`, so `appium:appium:udid` is a udid, too. Other letter cases and white space are no names of the
 * drivers, but a plugin or another server in front of a driver may correct them.
 */
export function capabilityName(given: string): string {
  return given.replace(REPEATED_PREFIX, '').trim().toLowerCase();
}

/**
 * Returns every object of a create-session request whose members can be capabilities: `alwaysMatch`, each entry of
 * `firstMatch`, `appium:options` of each, and the legacy `desiredCapabilities` and `requiredCapabilities`.
 * @param root the body of the request, or its W3C capabilities
 */
export function capabilitySets(root: unknown): Fields[] {
  const found: Fields[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...value);
    if (!isRecord(value)) continue;
    found.push(value);
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null && CONTAINERS.has(capabilityName(name)))
        open.push(inner);
    }
  }
  return found;
}

/** Returns every value that the request gives a capability, in any of its sets. `name` is in lower case. */
export function valuesOf(sets: readonly Fields[], name: string): unknown[] {
  const values: unknown[] = [];
  for (const fields of sets)
    for (const given of Object.keys(fields)) if (capabilityName(given) === name) values.push(fields[given]);
  return values;
}
