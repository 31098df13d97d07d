export { type Ask, ask, type RemoteAnswer } from './ask.ts';
export { boundedFetch, type FetchBounds, type FetchRequest, OutOfBounds } from './bounded-fetch.ts';
export { CONNECTIONS_PER_SERVER, type ConnectionPool, connectionPool } from './connection-pool.ts';
export { DestinationRules } from './destinations/destination-rules.ts';
export {
  AddressNotAllowed,
  answerLookup,
  type Destination,
  Destinations,
  localDestinations,
} from './destinations/destinations.ts';
export { Lookups, type Resolve } from './destinations/lookups.ts';
export { connectionHeaders } from './forward.ts';
export { type JsonAnswer, JsonClient } from './json-client.ts';
export { causeOf, isUntouched, NotConnected } from './not-connected.ts';
export { type Connection, Outbound, type ServerRules, type ServerTls } from './outbound.ts';
export { bodyKind, leaveParsed, readSmallBody, streamedBody } from './small-body.ts';
export { tunnelTo } from './tunnel.ts';
