import { LRUCache } from 'lru-cache';

/**
 * @returns a cache that evicts the least recently used entries when it has more than `most`. It sets the option
 * `maxSize` of `lru-cache` instead of `max`, because with `max` the library allocates all entries immediately.
 */
export function lruCache<V extends NonNullable<unknown>>(most: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
