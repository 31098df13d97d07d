export {
  type LeaseFields,
  type SessionCredentials,
  type WithCredentialsOptions,
  withCredentials,
  withLease,
} from './capabilities.ts';
export * from './clock.ts';
export * from './command-headers.ts';
export * from './credentials.ts';
export * from './error.ts';
export * from './lease.ts';
export { type FollowedEvents, type FollowOptions, followEvents, type LiveEvent } from './live-events.ts';
export * from './rest-client.ts';
export * from './selenium.ts';
export * from './webdriverio.ts';
