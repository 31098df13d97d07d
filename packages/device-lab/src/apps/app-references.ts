import { isRecord } from '@svc/auth-core';
import { APP_REFERENCE } from '@svc/contract';

/** Appium reads each name in here as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const NAMES = ['app', 'otherApps'];
const PREFIXED = NAMES.map((name) => `appium:${name}`);

/**
 * Replaces every name of a library app that a driver would read as an app, in place: `appium:app` and
 * `appium:otherApps`, in `alwaysMatch`, every `firstMatch` entry and their `appium:options`. `replace` is called with
 * what follows `prefix` (the id, behind the usual one), in the order they stand in.
 */
export function replaceApps(
  capabilities: unknown,
  replace: (rest: string) => string,
  prefix: string = APP_REFERENCE,
): void {
  if (!isRecord(capabilities)) return;
  const one = (text: string) => (text.startsWith(prefix) ? replace(text.slice(prefix.length)) : text);
  const { alwaysMatch, firstMatch } = capabilities;
  for (const entry of [alwaysMatch, ...(Array.isArray(firstMatch) ? firstMatch : [])]) {
    if (!isRecord(entry)) continue;
    replaceIn(entry, PREFIXED, one, prefix);
    const options = entry[OPTIONS];
    if (isRecord(options)) replaceIn(options, [...NAMES, ...PREFIXED], one, prefix);
  }
}

function replaceIn(
  fields: Record<string, unknown>,
  names: readonly string[],
  one: (text: string) => string,
  prefix: string,
): void {
  for (const name of names) {
    if (Object.hasOwn(fields, name)) fields[name] = replaced(fields[name], one, prefix);
  }
}

/** One name, a list of them, or a list as JSON text, as drivers take it for `otherApps`. */
function replaced(value: unknown, one: (text: string) => string, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? one(item) : item));
  if (typeof value !== 'string') return value;
  const list = listIn(value, prefix);
  return list === undefined ? one(value) : JSON.stringify(replaced(list, one, prefix));
}

function listIn(text: string, prefix: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[') || !text.includes(prefix)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
