import { isRecord } from '@svc/contract';
import { REDACTED } from '@svc/device-lab';
import { jsonText, oneLine } from '@svc/module';

const LONGEST_MESSAGE = 8_192;
const LONGEST_VALUE = 4_096;
const DEEPEST = 4;
const MOST_FIELDS = 50;

/**
 * Quick test for text that may contain a secret of this service. Only text that matches is searched with the patterns
 * of `IN_TEXT`, which are slower.
 */
const SUSPICIOUS = /svc[atl]_|eyJ|bearer|basic|ticket|:\/\/[^\s/]*@/i;

/**
 * Patterns of secrets within a longer text, with their replacements: secrets that this service issues, values of
 * headers, and user names in URLs.
 */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  // Not only at the beginning of a word, because `%2F` precedes the secret in an encoded address.
  [/svc[atl]_\w+/g, REDACTED],
  // The header contains no other beginning of a signed token, so that a text of many takes linear time.
  [/eyJ(?:(?!eyJ[\w-]{8})[\w-]){8,}(?:\.[\w-]*)+/g, REDACTED],
  // The minimum length keeps the server's own messages readable, which contain words such as `bearer token`.
  [/\b(bearer)\s+[\w.~+/=-]{20,}/gi, `$1 ${REDACTED}`],
  [/\b(basic)\s+[A-Za-z0-9+/=_-]{20,}/gi, `$1 ${REDACTED}`],
  [/(ticket(?:=|%3D))[\w.~%-]+/gi, `$1${REDACTED}`],
  [/(:\/\/)[^\s/@"'<>]*@/g, `$1${REDACTED}@`],
];

/**
 * Names of log fields whose value is always masked. `accessKey` is not among them, because an access key is not secret
 * (specification 2).
 */
const SECRET_NAME =
  /(?:token|secret|password|passwd|pwd|api[-_]?key|private[-_]?key|authorization|cookies?|credentials?|ticket|smtp[-_]?url|pem)$/i;

/** @returns the message as one line of limited length, without secrets that this service issues */
export function logMessage(message: string): string {
  return oneLine(masked(message, LONGEST_MESSAGE));
}

/**
 * @returns a copy of limited size that is safe to store. Secrets are masked by the name of their field and by their
 * form, and errors are copied with their stack and cause.
 */
export function logFields(fields: object): Readonly<Record<string, unknown>> {
  return copyOf(fields, 0) as Record<string, unknown>;
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return jsonText(masked(value, LONGEST_VALUE));
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return copyOf(describe(value), depth);
  if (depth >= DEEPEST) return '...';
  if (Array.isArray(value)) return value.slice(0, MOST_FIELDS).map((item) => copyOf(item, depth + 1));
  if (value instanceof Date) return value.toISOString();
  if (!isRecord(value)) return String(value);
  const entries = Object.entries(value).slice(0, MOST_FIELDS);
  return Object.fromEntries(entries.map(([name, inner]) => [fieldName(name), fieldOf(name, inner, depth)]));
}

function fieldOf(name: string, value: unknown, depth: number): unknown {
  const isHidden = SECRET_NAME.test(name) && value !== null && value !== undefined;
  return isHidden ? REDACTED : copyOf(value, depth + 1);
}

function fieldName(name: string): string {
  return jsonText(masked(name, LONGEST_VALUE));
}

function describe(error: Error): object {
  const { name, message, stack, cause } = error;
  const { code } = error as { readonly code?: unknown };
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined
      ? {}
      : { cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : cause }),
  };
}

/**
 * Masks secrets and then cuts the text to `longest` characters, because half a secret would not be recognised. Only the
 * first `2 * longest` characters are searched.
 */
function masked(text: string, longest: number): string {
  let clean = text.slice(0, 2 * longest);
  if (SUSPICIOUS.test(text)) {
    for (const [pattern, instead] of IN_TEXT) clean = clean.replace(pattern, instead);
  }
  return clean.length <= longest ? clean : `${clean.slice(0, longest)}... (${text.length} characters)`;
}
