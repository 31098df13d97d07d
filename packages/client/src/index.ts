// The client for test code, scripts and pages: the REST API with types, credentials for WebdriverIO, leases, live events.
//
// This entry also runs in a browser. `selenium`, `command/` (the appium-svc-client command) and `proxy/` (a proxy on this
// machine that adds the credentials) need Node.js and have entries of their own.
//
// Not here: the definitions of the routes (contract), and the svc command of a server's host (apps/cli).

export type {
  AnswerOf,
  BodyOf,
  CallInput,
  CallRoute,
  Calls,
  HttpRoute,
  RouteName,
  SocketRoute,
} from './calls.ts';
export {
  type CreateCredentials,
  type LeaseFields,
  type SessionCredentials,
  type WithCredentialsOptions,
  withCredentials,
  withLease,
} from './capabilities.ts';
export * from './clock.ts';
export { withCommandHeaders } from './command-client.ts';
export * from './command-headers.ts';
export { type ConnectionOptions, connect, type LabConnection } from './connection.ts';
export { bearerHeaders, CREDENTIAL_HEADERS, type KeyPair, keyPairHeaders } from './credentials.ts';
export { type Environment, fromEnv, UnusableSetting } from './environment.ts';
export * from './error.ts';
export * from './lease.ts';
export { type FollowedEvents, type FollowOptions, followEvents } from './live-events.ts';
export * from './rest-client.ts';
export * from './wdio-service.ts';
export {
  type WebdriverioConnection,
  type WebdriverioOptions,
  webdriverioConnection,
  webdriverioOptions,
} from './webdriverio.ts';
export type { BearerAudience, ErrorCode, LiveEvent, McpScope, Role, Scope, Status } from './wire.ts';
