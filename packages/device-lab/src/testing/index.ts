export * from './memory-driver-sessions.ts';
