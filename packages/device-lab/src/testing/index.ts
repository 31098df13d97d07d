export * from './memory-command-log.ts';
export * from './memory-driver-sessions.ts';
export * from './memory-phone-settings.ts';
