import { LRUCache } from 'lru-cache';

/**
 * @returns a cache that evicts the least recently used entries. It grows as it fills; `max` would allocate all entries
 * immediately.
 */
export function lruCache<V extends NonNullable<unknown>>(most: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
