export * from './device-lab.ts';
export * from './driver-session.ts';
export * from './driver-sessions.ts';
export * from './end-cause.ts';
export * from './phones.ts';
