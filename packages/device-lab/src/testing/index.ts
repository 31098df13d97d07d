export * from './lab-store-suite.ts';
export * from './memory-apps.ts';
export * from './memory-command-log.ts';
export * from './memory-device-settings.ts';
export * from './memory-driver-sessions.ts';
export * from './memory-event-log.ts';
export * from './sample-session.ts';
