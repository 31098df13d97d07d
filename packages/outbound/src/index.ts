// HTTP from this server to others: connections, proxies, tunnels, limits of size and time.
//
// `destinations/` decides which addresses a server may call, also after a name has been resolved. `forward/` passes on
// headers and the bytes of sockets; the client's proxy uses it too, so it has an entry of its own without dependencies.
//
// Not here: what is sent, and to which server. The packages that call this one decide that.

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
export { connectionHeaders, isWebSocketUpgrade } from './forward.ts';
export { type JsonAnswer, JsonClient } from './json-client.ts';
export { causeOf, isUntouched, NotConnected } from './not-connected.ts';
export { type Connection, Outbound, type ServerRules, type ServerTls } from './outbound.ts';
export { bodyKind, leaveParsed, readSmallBody, streamedBody } from './small-body.ts';
export { tunnelTo } from './tunnel.ts';
