export * from './lab-store-suite.ts';
export * from './sample-phones.ts';
export * from './sample-request.ts';
export * from './sample-session.ts';
export { opened } from './suite/opened.ts';
