/**
 * Programs and the part of a `User-Agent` by which each is recognised. The order matters: the first match counts,
 * because most browsers also name other browsers.
 */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|Chromium\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/**
 * @returns a short name such as "Firefox on Linux", or the beginning of the `User-Agent` if the program is unknown, or
 * null if there is no `User-Agent`
 */
export function browserOf(userAgent: string | null): string | null {
  if (userAgent === null || userAgent === '') return null;
  const program = PROGRAMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (program === undefined) return userAgent.length > 40 ? `${userAgent.slice(0, 40)}…` : userAgent;
  return system === undefined ? program : `${program} on ${system}`;
}
