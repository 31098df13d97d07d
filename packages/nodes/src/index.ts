// A hub and its nodes: servers that lend their phones to one server, which all clients use.
//
// `hub/` is what a hub knows of its nodes, their sessions and their phones, and the requests that it sends to them. `node/`
// is what a server reports when it is a node. `tokens/` proves to a node that a request comes from its hub, and gives a
// further entrance of a grid the same keys.
//
// Not here: how commands of clients reach a session on a node (webdriver-gate), and the streams of its phones (previews).

export { HubAddresses } from './hub/hub-addresses.ts';
export type { LabNode } from './hub/lab-node.ts';
export { nodeDestinations } from './hub/node-addresses.ts';
export type { NodeCalls } from './hub/node-calls.ts';
export { NodeClient, NodeGone, type RemoteCreate } from './hub/node-client.ts';
export type { NodeRecord, NodeStore } from './hub/node-store.ts';
export { Nodes, type NodeView } from './hub/nodes.ts';
export { planAtNode } from './hub/plans-at-nodes.ts';
export { serverOrigin } from './hub/server-origin.ts';
export { HubClient } from './node/hub-client.ts';
export { HubSessions } from './node/hub-sessions.ts';
export { type KeyPair, pairHeaders } from './node/pair-headers.ts';
export { type HubSide, type NodeSide, openHub, openNode } from './open.ts';
export { HubKeys } from './tokens/hub-keys.ts';
export { HubTokenVerifier } from './tokens/hub-token-verifier.ts';

export { RemoteVerifier } from './tokens/remote-verifier.ts';
