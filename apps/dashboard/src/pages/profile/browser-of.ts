/** Programs by a part of their `User-Agent`. The first match counts, because most programs also name others. */
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
 * @returns for example "Firefox on Linux", for an unknown program a short form of its own text, or null without a text
 */
export function browserOf(userAgent: string | null): string | null {
  if (userAgent === null || userAgent === '') return null;
  const program = PROGRAMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (program === undefined) return userAgent.length > 40 ? `${userAgent.slice(0, 40)}…` : userAgent;
  return system === undefined ? program : `${program} on ${system}`;
}
