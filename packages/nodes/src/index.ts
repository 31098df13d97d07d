export { HubClient } from './hub-client.ts';
export { nodeDestinations } from './node-addresses.ts';
export { type HubSide, type NodeSide, openHubSide, openNodeSide } from './open-nodes.ts';
export { type KeyPair, pairHeaders } from './pair-headers.ts';
export { registerNode } from './register-node.ts';
