import { statSync } from 'node:fs';
import { byField, counter, gauge, type Metric, single } from '@svc/module';
import type { Core } from './core.ts';

/** Metrics of credentials, open connections and the database. */
export function coreMetrics(core: Core): Metric[] {
  const { authenticator, rateLimiter, tickets, openConnections, stores, config } = core;
  return [
    counter('svc_caller_cache_total', 'Look-ups of a credential in the memory of callers', () =>
      byField('result', { hit: authenticator.cacheUses.hits, miss: authenticator.cacheUses.misses }),
    ),
    counter('svc_rate_limited_total', 'API requests beyond their allowance (specification 8.1)', () =>
      byField('category', rateLimiter.refused),
    ),
    counter('svc_tickets_total', 'Tickets issued, redeemed and refused', () =>
      byField('what', tickets.counts),
    ),
    gauge('svc_open_connections', 'Everything that stays open and is checked again', () =>
      single(openConnections.size),
    ),
    gauge('svc_queue_depth', 'What waits, by queue', () =>
      byField('queue', { 'last-used times': stores.pendingWrites() }),
    ),
    gauge('svc_database_bytes', 'Size of the database on disk, by file', () =>
      byField('file', {
        database: sizeOf(config.databaseFile),
        'write-ahead log': sizeOf(`${config.databaseFile}-wal`),
      }),
    ),
    gauge('svc_up', '1: the database and its tables can be used', () => {
      const { database: isOpen, migrations } = stores.ready();
      return single(isOpen && migrations ? 1 : 0);
    }),
  ];
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
