import { isRecord } from '@svc/auth-core';
import { APP_REFERENCE } from '@svc/contract';

/** Appium reads each name in here as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const NAMES = ['app', 'otherApps'];
const PREFIXED = NAMES.map((name) => `appium:${name}`);

/**
 * Replaces every name of a library app that a driver would read as an app, in place: `appium:app` and
 * `appium:otherApps`, in `alwaysMatch`, every `firstMatch` entry and their `appium:options`. `replace` is called with
 * the id, in the order they stand in.
 */
export function replaceApps(capabilities: unknown, replace: (id: string) => string): void {
  if (!isRecord(capabilities)) return;
  const { alwaysMatch, firstMatch } = capabilities;
  for (const entry of [alwaysMatch, ...(Array.isArray(firstMatch) ? firstMatch : [])]) {
    if (!isRecord(entry)) continue;
    replaceIn(entry, PREFIXED, replace);
    const options = entry[OPTIONS];
    if (isRecord(options)) replaceIn(options, [...NAMES, ...PREFIXED], replace);
  }
}

function replaceIn(
  fields: Record<string, unknown>,
  names: readonly string[],
  replace: (id: string) => string,
): void {
  for (const name of names) {
    if (Object.hasOwn(fields, name)) fields[name] = replaced(fields[name], replace);
  }
}

/** One name, a list of them, or a list as JSON text, as drivers take it for `otherApps`. */
function replaced(value: unknown, replace: (id: string) => string): unknown {
  if (Array.isArray(value))
    return value.map((item) => (typeof item === 'string' ? one(item, replace) : item));
  if (typeof value !== 'string') return value;
  const list = listIn(value);
  return list === undefined ? one(value, replace) : JSON.stringify(replaced(list, replace));
}

function one(text: string, replace: (id: string) => string): string {
  return text.startsWith(APP_REFERENCE) ? replace(text.slice(APP_REFERENCE.length)) : text;
}

function listIn(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[') || !text.includes(APP_REFERENCE)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
