import type { Values } from './reader.ts';

/** Describes an environment variable whose name begins with `SVC_` but is not the name of a setting. */
interface UnknownVariable {
  readonly warning: string;
  /** Whether the operator probably wanted to switch on a protection, such as an access check, with this variable. */
  readonly isRequirement: boolean;
}

const REQUIREMENTS = new Set([
  'SVC_REQUIRE_SESSION_TOKEN',
  'SVC_REQUIRE_COMMAND_AUTH',
  'SVC_TRUSTED_PROXIES',
  'SVC_HUB_URL',
]);

/**
 * Returns a warning for each `SVC_*` variable that is set but is not a setting. The warning suggests the most similar
 * name (contract 5).
 */
export function unknownVariables(env: Values, known: readonly string[]): UnknownVariable[] {
  const names = new Set(known);
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !names.has(name) && isSet(env[name]))
    .sort()
    .map((name) => {
      const { each, distance } = nearest(name, known);
      // The name counts as misspelt if at most a third of its letters differ from a setting. With this limit,
      // `SVC_COMMAND_AUTH` counts as a misspelt `SVC_REQUIRE_COMMAND_AUTH`.
      const isMisspelt = REQUIREMENTS.has(each) && distance <= each.length / 3;
      return {
        warning: `${name} is not a setting and has no effect; did you mean ${each}?`,
        isRequirement: isMisspelt || name.startsWith('SVC_REQUIRE'),
      };
    });
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function nearest(name: string, known: readonly string[]): { each: string; distance: number } {
  const byDistance = known.map((each) => ({ each, distance: editDistance(name.toUpperCase(), each) }));
  return byDistance.reduce((best, next) => (next.distance < best.distance ? next : best));
}

/**
 * Returns the Levenshtein distance: the least number of inserted, deleted and replaced letters that turn one text into
 * the other.
 */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const row = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const [diagonal, up, left] = [above[at], above[at + 1], row[at]] as [number, number, number];
      row.push(Math.min(diagonal + (letter === other ? 0 : 1), up + 1, left + 1));
    }
    above = row;
  }
  return above.at(-1) as number;
}
