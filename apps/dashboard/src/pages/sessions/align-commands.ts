/** WebDriver command in the log of a session. */
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

/**
 * Line of a comparison of two runs (sessions of the same test): a command of the left run, of the right run, or of
 * both.
 */
export interface AlignedCommands {
  readonly left: LoggedCommand | null;
  readonly right: LoggedCommand | null;
  readonly difference: Difference;
}

/**
 * Maximum number of commands of each log that are compared, because time and memory grow with the product of both
 * lengths.
 */
export const MOST_COMPARED = 2_000;

/**
 * Aligns the commands of two runs, so that the same command of both runs is on one line. Uses the longest common
 * subsequence of at most `MOST_COMPARED` commands of each run.
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

/** @returns the index of the first line on which the runs differ, or -1 if they are equal */
export function firstDifference(lines: readonly AlignedCommands[]): number {
  return lines.findIndex(({ difference }) => difference !== 'same');
}

/**
 * Returns a table whose cell (i, j) is the length of the longest common subsequence of the commands from `a[i]` and
 * from `b[j]` on.
 */
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

/**
 * Returns a key that is the same for the same command in another run. The key leaves out ids, which differ between
 * runs. For a command that finds elements, it includes the locator.
 */
function keyOf(command: LoggedCommand): string {
  const { body } = command;
  const find = /\/elements?$/.test(command.path) && isObject(body) ? `${body.using} ${body.value}` : '';
  return `${command.method} ${routeOf(command.path)} ${find}`;
}

/**
 * @returns the path of a command without its prefix and ids, such as `/element/:id/click`; `/` for a command on the
 * session itself
 */
export function routeOf(path: string): string {
  const route = path.replace(/^.*?\/session\/[^/]+/, '').replace(/^$/, '/');
  return route.replace(/\/(element|shadow|window)\/[^/]+/g, '/$1/:id');
}

/** @returns the HTTP status, followed by the error code if the command failed */
function outcomeOf({ status, response }: LoggedCommand): string {
  if (status < 400 || !isObject(response) || !isObject(response.value)) return `${status}`;
  return `${status} ${response.value.error}`;
}

const ID_KEY = /^(?:ELEMENT|element-6066-11e4-a52e-4f735466cecf|id)$/;

/** @returns the body as JSON with ids of elements replaced, because ids differ between runs */
function bodyOf({ body }: LoggedCommand): string {
  return JSON.stringify(body ?? null, (key, value) => (ID_KEY.test(key) ? ':id' : value)) ?? '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
