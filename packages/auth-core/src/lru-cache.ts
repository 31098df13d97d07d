import { LRUCache } from 'lru-cache';

/** By key; the least recently used go first. Grows as it fills: `max` would reserve room for all of them at once. */
export function lruCache<V extends NonNullable<unknown>>(most: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
