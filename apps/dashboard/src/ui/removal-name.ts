import { texts } from '../texts/en.ts';

/**
 * @returns the name of what a cleaning removed or set back: a package or a path unchanged, and a value, such as
 * `httpProxy`, in words
 */
export function removalName(name: string): string {
  const { values } = texts.care;
  return Object.hasOwn(values, name) ? values[name as keyof typeof values] : name;
}
