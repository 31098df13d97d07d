export * from './autocommit.ts';
export * from './core.ts';
export * from './fake-clock.ts';
export * from './sample-rows.ts';
export * from './seeded-random.ts';
export * from './signing.ts';
export * from './silent-log.ts';
export * from './support.ts';
