import { isRecord } from '@svc/contract';
import { maskValue } from './command-log/mask.ts';

/** Maximum size (characters of JSON) of the capabilities that are stored with a session. */
export const MOST_CAPABILITIES = 64 * 1024;
/** Name of the field that says which capabilities are not stored. */
const LEFT_OUT = 'svc:leftOut';
/** Room for the field `LEFT_OUT`. In JSON, a character of a name takes up to 6 characters. */
const RESERVED = 4 * 1024;
const MOST_NAMES = 10;
const LONGEST_NAME = 50;

/**
 * @returns the capabilities of a session as they are stored: secrets are masked, and at most `MOST_CAPABILITIES` are
 * kept. Larger ones lose their largest values, and the field `svc:leftOut` (`{count, names}`) says which, so that one
 * client cannot make lists of sessions large for everybody.
 */
export function storedCapabilities(capabilities: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const masked = maskValue(capabilities);
  if (!isRecord(masked)) return {};
  if (JSON.stringify(masked).length <= MOST_CAPABILITIES) return masked;
  const entries = Object.entries(masked).filter(([name]) => name !== LEFT_OUT);
  const sizes = entries.map(([name, value]) => JSON.stringify([name, value]).length);
  let left = MOST_CAPABILITIES - RESERVED;
  const kept = new Set<string>();
  for (const index of [...sizes.keys()].sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0))) {
    left -= sizes[index] ?? 0;
    const [name] = entries[index] ?? [];
    if (left < 0 || name === undefined) break;
    kept.add(name);
  }
  const names = entries.map(([name]) => name).filter((name) => !kept.has(name));
  const named = names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
  return {
    ...Object.fromEntries(entries.filter(([name]) => kept.has(name))),
    [LEFT_OUT]: { count: names.length, names: named },
  };
}
