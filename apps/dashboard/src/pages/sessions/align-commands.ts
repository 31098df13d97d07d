/** A command of a session's log. */
export interface LoggedCommand {
  readonly seq: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly body: unknown;
  readonly response: unknown;
  readonly name: string;
  readonly summary: string;
  readonly error?: { readonly code: string; readonly message: string };
}

type Difference = 'same' | 'outcome' | 'body' | 'only-left' | 'only-right';

/** One line of two timelines side by side. */
export interface AlignedCommands {
  readonly left: LoggedCommand | null;
  readonly right: LoggedCommand | null;
  readonly difference: Difference;
}

/** Maximum length of the logs, because they are compared cell by cell. */
export const MOST_COMPARED = 2_000;

/**
 * Aligns the commands of two runs: equal commands are on one line, along the longest common subsequence. Compares at
 * most `MOST_COMPARED` commands of each.
 */
export function alignCommands(
  left: readonly LoggedCommand[],
  right: readonly LoggedCommand[],
): AlignedCommands[] {
  const [a, b] = [left.slice(0, MOST_COMPARED), right.slice(0, MOST_COMPARED)];
  const [keysA, keysB] = [a.map(keyOf), b.map(keyOf)];
  const lengths = sharedLengths(keysA, keysB);
  const width = b.length + 1;
  const lines: AlignedCommands[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && keysA[i] === keysB[j]) {
      lines.push(pair(a[i++] as LoggedCommand, b[j++] as LoggedCommand));
    } else if (
      j >= b.length ||
      (i < a.length && at(lengths, (i + 1) * width + j) >= at(lengths, i * width + j + 1))
    ) {
      lines.push({ left: a[i++] as LoggedCommand, right: null, difference: 'only-left' });
    } else {
      lines.push({ left: null, right: b[j++] as LoggedCommand, difference: 'only-right' });
    }
  }
  return lines;
}

/** @returns the index of the first line that differs, or -1 if there is none */
export function firstDifference(lines: readonly AlignedCommands[]): number {
  return lines.findIndex(({ difference }) => difference !== 'same');
}

/** Cell (i, j) is the length of the longest common subsequence of the commands from i and from j on. */
function sharedLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? at(lengths, (i + 1) * width + j + 1) + 1
          : Math.max(at(lengths, (i + 1) * width + j), at(lengths, i * width + j + 1));
    }
  }
  return lengths;
}

function at(cells: Uint16Array, index: number): number {
  return cells[index] as number;
}

function pair(left: LoggedCommand, right: LoggedCommand): AlignedCommands {
  const difference =
    outcomeOf(left) !== outcomeOf(right) ? 'outcome' : bodyOf(left) === bodyOf(right) ? 'same' : 'body';
  return { left, right, difference };
}

/** Identifies the same command in another run, where ids differ but the searched element does not. */
function keyOf(command: LoggedCommand): string {
  const { body } = command;
  const find = /\/elements?$/.test(command.path) && isObject(body) ? `${body.using} ${body.value}` : '';
  return `${command.method} ${routeOf(command.path)} ${find}`;
}

/** @returns the path of a command without its prefix and ids, as `/element/:id/click`, or `/` for the session itself */
export function routeOf(path: string): string {
  const route = path.replace(/^.*?\/session\/[^/]+/, '').replace(/^$/, '/');
  return route.replace(/\/(element|shadow|window)\/[^/]+/g, '/$1/:id');
}

/** @returns the status, and for a failure also its error code */
function outcomeOf({ status, response }: LoggedCommand): string {
  if (status < 400 || !isObject(response) || !isObject(response.value)) return `${status}`;
  return `${status} ${response.value.error}`;
}

const ID_KEY = /^(?:ELEMENT|element-6066-11e4-a52e-4f735466cecf|id)$/;

/** @returns the body without the ids of elements */
function bodyOf({ body }: LoggedCommand): string {
  return JSON.stringify(body ?? null, (key, value) => (ID_KEY.test(key) ? ':id' : value)) ?? '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
