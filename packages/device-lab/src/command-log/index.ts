export * from './command-log.ts';
export * from './entry.ts';
