export * from './lab-store-suite.ts';
export * from './memory-apps.ts';
export * from './memory-attach.ts';
export * from './memory-care.ts';
export * from './memory-cleaning.ts';
export * from './memory-command-log.ts';
export * from './memory-device-settings.ts';
export * from './memory-driver-sessions.ts';
export * from './memory-event-log.ts';
export * from './memory-leases.ts';
export * from './memory-nodes.ts';
export * from './memory-phone-use.ts';

export * from './sample-phones.ts';
export * from './sample-request.ts';
export * from './sample-session.ts';

export { opened } from './suite/opened.ts';
