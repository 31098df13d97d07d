export * from './admin.ts';
export * from './auth.ts';
export * from './common.ts';
export * from './passwords.ts';
export * from './profile.ts';
export * from './sessions.ts';
