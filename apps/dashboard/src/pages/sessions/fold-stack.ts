/** Response without its stack trace, and the stack trace, which the page shows separately. */
export interface FoldedStack {
  readonly response: unknown;
  readonly stack: string | null;
}

/**
 * Pattern of the folders in front of a file name in a stack trace. They are the same on every line and do not help the
 * reader.
 */
const FOLDERS = /(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\\/][^\\/\s():'"]+)+[\\/](?=[^\\/\s():'"]+)/g;

/** Separates the stack trace from an error response, and removes the server's folders from the stack trace. */
export function foldStack(response: unknown): FoldedStack {
  if (!isObject(response) || !isObject(response.value)) return { response, stack: null };
  const { stacktrace, ...value } = response.value;
  if (typeof stacktrace !== 'string' || stacktrace === '') return { response, stack: null };
  return { response: { ...response, value }, stack: stacktrace.replace(FOLDERS, '') };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
