import {
  type Clock,
  commandAuthMode,
  HubKeys,
  HubTokens,
  HubTokenVerifier,
  type Log,
  type Random,
  type Stores,
  type TokenSigner,
} from '@svc/auth-core';
import {
  type DeviceLab,
  type DirectInputs,
  type HealthProbes,
  type HubAddresses,
  HubSessions,
  type NodeStore,
  Nodes,
  type OutOfService,
} from '@svc/device-lab';
import type { Lookups, Outbound } from '@svc/outbound';
import type { Previews } from '@svc/previews';
import type { Config } from '@svc/settings';
import { NodeClient } from '@svc/webdriver-gate';
import { HubClient } from './hub-client.ts';
import { type ListeningState, NodeAddresses } from './node-addresses.ts';
import { NodeAgent } from './node-agent.ts';

interface HubAndNodeTools {
  /** Version of svc that this server runs. */
  readonly version: string;
  readonly config: Config;
  readonly stores: Stores & { readonly nodes: NodeStore };
  readonly lab: DeviceLab;
  readonly signer: TokenSigner;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Name of the WebDriver grid behind this server, such as a Selenium Grid, or null if there is none. */
  readonly grid: string | null;
  readonly outbound: Outbound;
  readonly lookups: Lookups;
  readonly listening: ListeningState;
  readonly hubAddresses: HubAddresses;
}

/** Services for a hub's work with its nodes. Every server has them: it becomes a hub when a node registers with it. */
export interface HubSide {
  readonly nodes: Nodes;
  readonly nodeClient: NodeClient;
  readonly nodeAddresses: NodeAddresses;
}

interface NodeSideTools {
  readonly previews: Pick<Previews, 'kindsOf'>;
  readonly direct: Pick<DirectInputs, 'offers'>;
  readonly care: Pick<OutOfService, 'on' | 'onChange'>;
  readonly health: Pick<HealthProbes, 'of'>;
}

/** Services of a server that is a node of a hub (`SVC_HUB_URL`). */
export interface NodeSide {
  readonly hubUrl: string;
  readonly tokens: HubTokenVerifier;
  readonly sessions: HubSessions;
  /** Starts to report to the hub. Call this method after the server has begun to listen. */
  start(basePath: string): void;
  close(): Promise<void>;
}

export function openHubSide(tools: HubAndNodeTools): HubSide {
  const {
    version,
    config,
    stores,
    lab,
    signer,
    clock,
    log,
    grid,
    outbound,
    lookups,
    listening,
    hubAddresses,
  } = tools;
  const nodeAddresses = new NodeAddresses(config, lookups, listening, log);
  const nodeClient: NodeClient = new NodeClient({
    tokens: new HubTokens(signer, clock),
    outbound,
    destinations: nodeAddresses.destinations,
    ca: config.nodeTlsCa,
    hasKey: (node, keyPin) => nodes.hasKey(node, keyPin),
    guarded: commandAuthMode(config) === 'on',
  });
  lab.onEnd(({ id }) => nodeClient.tokens.forget(id));
  const nodes: Nodes = new Nodes({
    version,
    store: stores.nodes,
    lab,
    calls: nodeClient,
    grid,
    hubAddresses,
    clock,
    log,
  });
  nodes.start();
  return { nodes, nodeClient, nodeAddresses };
}

export function openNodeSide(
  { version, config, stores, lab, clock, random, log, outbound }: HubAndNodeTools,
  { previews, direct, care, health }: NodeSideTools,
): NodeSide | null {
  const { node, jwtIssuer: issuer, nodeTlsCa: ca } = config;
  if (node === null) return null;
  const hub = new HubClient({ ...node, ca, outbound });
  const keys = new HubKeys({ fetch: () => hub.keys(), clock, log });
  const sessions = new HubSessions(lab, clock);
  const { url, hubUrl } = node;
  const boot = random.uuid();
  const agent = new NodeAgent({
    ...{ hub, keys, version, url, hubUrl, lab, sessions, previews, direct, care, health, clock, log, boot },
  });
  return {
    hubUrl,
    tokens: new HubTokenVerifier({ keys, issuer, node: new URL(url).host, stores, clock, log }),
    sessions,
    start: (basePath) => agent.start(basePath),
    close: async () => {
      agent.stop();
      await hub.close();
    },
  };
}
