import { usePageFilter } from '../../api/page-filter.ts';
import type { ApiKey } from './api-key.ts';

export type KeyFilter = Readonly<Record<'kind' | 'end' | 'use', string>>;

/** Time before its end from which a key counts as ending soon, in milliseconds. */
const SOON_MS = 14 * 24 * 60 * 60_000;

export const useKeyFilter = () => usePageFilter(['kind', 'end', 'use']);

export function isWanted(
  {
    kind,
    expiresAt,
    lastUsedAt,
    unusedSince,
  }: Pick<ApiKey, 'kind' | 'expiresAt' | 'lastUsedAt' | 'unusedSince'>,
  filter: KeyFilter,
  now: number,
): boolean {
  const ends = expiresAt === null ? 'never' : Date.parse(expiresAt) - now < SOON_MS ? 'soon' : 'later';
  const isUsed = filter.use === '' || (filter.use === 'never' ? lastUsedAt === null : unusedSince !== null);
  return (filter.kind === '' || filter.kind === kind) && (filter.end === '' || filter.end === ends) && isUsed;
}
