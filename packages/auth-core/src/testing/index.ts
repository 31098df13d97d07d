export * from './autocommit.ts';
export * from './fake-clock.ts';
export { TEST_AUDIT_KEY } from './memory/trail.ts';
export * from './memory-stores.ts';
export * from './sample-rows.ts';
export * from './seeded-random.ts';
export * from './silent-log.ts';
export * from './store-suite.ts';
export type { Open, OpenStores } from './suite/opened.ts';
