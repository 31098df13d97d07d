import { APP_REFERENCE, isRecord } from '@svc/contract';

/** Name of a capability that is an object. Appium reads each name in this object as if it had the prefix `appium:`. */
const OPTIONS = 'appium:options';
const NAMES = ['app', 'otherApps'];
const PREFIXED = NAMES.map((name) => `appium:${name}`);

/**
 * Replaces, in place, every reference to a library app that a driver would read. Drivers read `appium:app` and
 * `appium:otherApps` in `alwaysMatch`, in every `firstMatch` entry and in the `appium:options` of both. A reference is
 * a text that begins with `prefix`. `replace` is called with the rest of each reference, which is the id of the app if
 * `prefix` is the default, and returns the new text. The references are replaced in the order in which they appear.
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
    for (const name of PREFIXED)
      if (Object.hasOwn(entry, name)) entry[name] = replaced(entry[name], one, prefix);
    const options = entry[OPTIONS];
    if (!isRecord(options)) continue;
    for (const name of [...NAMES, ...PREFIXED])
      if (Object.hasOwn(options, name)) options[name] = replaced(options[name], one, prefix);
  }
}

/**
 * Returns a capability with its references replaced. The value may be one reference, a list of them, or a list as JSON
 * text, which drivers accept for `otherApps`.
 */
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
