/** Numbers of a version such as `14.1.2`, from the most significant one. */
type Components = readonly number[];

const NUMERIC = /^\d{1,9}(?:\.\d{1,9}){0,7}$/;

/** @returns the components of a version that consists of numbers, or undefined for any other text */
function componentsOf(version: string): Components | undefined {
  return NUMERIC.test(version) ? version.split('.').map(Number) : undefined;
}

/** @returns whether `version` consists of numbers, so that it can be compared with other versions */
export function isNumericVersion(version: string): boolean {
  return componentsOf(version) !== undefined;
}

/**
 * Returns whether a version is the wanted one, as far as the wanted one goes: `14` fits 14 and 14.1, and `14.1` fits
 * 14.1.2 but not 14.10 (contract 14.3). A component that the version lacks counts as 0, so that `14.0` fits 14. A
 * version that is not numeric fits only the same text.
 */
export function fitsVersion(wanted: string, version: string): boolean {
  const order = compareAsFarAs(wanted, version);
  return order === undefined ? wanted === version : order === 0;
}

/**
 * Compares a version with a bound, component by component, as far as the bound goes (contract 14.3). Therefore 14.1 is
 * neither below nor above the bound `14`.
 * @returns a number below 0 if the version is below the bound, above 0 if it is above the bound, and otherwise 0.
 * Undefined if one of them is not numeric.
 */
export function compareAsFarAs(bound: string, version: string): number | undefined {
  const [limits, components] = [componentsOf(bound), componentsOf(version)];
  if (limits === undefined || components === undefined) return undefined;
  for (const [at, limit] of limits.entries()) {
    const difference = (components[at] ?? 0) - limit;
    if (difference !== 0) return difference;
  }
  return 0;
}
