export { type Ask, ask, type RemoteAnswer } from './ask.ts';
export { CONNECTIONS_PER_SERVER, type ConnectionPool, connectionPool } from './connection-pool.ts';
export { connectionHeaders } from './forward.ts';
export { type JsonAnswer, JsonClient } from './json-client.ts';
export { causeOf, isUntouched, NotConnected } from './not-connected.ts';
export { type Connection, Outbound, type ServerTls } from './outbound.ts';
export { bodyKind, leaveParsed, readSmallBody, streamedBody } from './small-body.ts';
export { tunnelTo } from './tunnel.ts';
