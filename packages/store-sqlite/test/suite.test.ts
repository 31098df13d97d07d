import type { CacheSizes } from '../src/cache/caches.ts';
import { newPlace } from './place.ts';
import { storeSuite } from './store-suite.ts';
import type { Open } from './suite/opened.ts';

const onSqlite =
  (cacheSizes: Partial<CacheSizes> = {}): Open =>
  async () => {
    const place = newPlace();
    return { stores: await place.open({ cacheSizes }), close: () => place.remove() };
  };

storeSuite('SQLite', onSqlite());
// With a cache for only one row, the row of every look-up has been evicted and is read again.
storeSuite('SQLite that remembers one row', onSqlite({ accounts: 1, apiTokens: 1, signIns: 1 }));
