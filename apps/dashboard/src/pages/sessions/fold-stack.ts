/** A response and its stack trace, which is shown separately. */
export interface FoldedStack {
  readonly response: unknown;
  readonly stack: string | null;
}

/** Folders of the server in front of a file, up to the package that the file belongs to. */
const FOLDERS = /(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\\/][^\\/\s():'"]+)+[\\/](?=[^\\/\s():'"]+)/g;

/** Takes the stack trace out of an error response, and the folders of the server out of the stack trace. */
export function foldStack(response: unknown): FoldedStack {
  if (!isObject(response) || !isObject(response.value)) return { response, stack: null };
  const { stacktrace, ...value } = response.value;
  if (typeof stacktrace !== 'string' || stacktrace === '') return { response, stack: null };
  return { response: { ...response, value }, stack: stacktrace.replace(FOLDERS, '') };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
