import type { Values } from './reader.ts';

/** One warning for each set `SVC_*` variable that no setting has, with the name it is nearest to (contract 5). */
export function unknownVariables(env: Values, known: readonly string[]): string[] {
  const names = new Set(known);
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !names.has(name) && isSet(env[name]))
    .sort()
    .map((name) => `${name} is not a setting and has no effect; did you mean ${nearest(name, known)}?`);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function nearest(name: string, known: readonly string[]): string {
  const byDistance = known.map((each) => ({ each, distance: editDistance(name.toUpperCase(), each) }));
  return byDistance.reduce((best, next) => (next.distance < best.distance ? next : best)).each;
}

/** Levenshtein: insertions, deletions and replacements that make one of the other. */
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
