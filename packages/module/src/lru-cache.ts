import { LRUCache } from 'lru-cache';

/**
 * @returns a cache that evicts the least recently used entry when it has more than `most` entries. It sets the option
 * `maxSize` of `lru-cache`, because with `max` the library would reserve memory for `most` entries at the start
 */
export function lruCache<V extends NonNullable<unknown>>(most: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
