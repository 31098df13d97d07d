import {
  type Authenticator,
  type Clock,
  commandAuthMode,
  type KeyRing,
  type Log,
  type Random,
  type Stores,
  type TokenSigner,
} from '@svc/auth-core';
import type { StreamKind } from '@svc/contract';
import type {
  Device,
  DeviceLab,
  DirectInputs,
  HealthProbes,
  HubHolders,
  OutOfService,
  PhoneCleaner,
} from '@svc/device-lab';
import { byField, gauge, type Module } from '@svc/module';
import type { Lookups, Outbound } from '@svc/outbound';
import type { Config } from '@svc/settings';
import { nodeHandlers } from './handlers.ts';
import type { HubAddresses } from './hub/hub-addresses.ts';
import { type ListeningState, NodeAddresses } from './hub/node-addresses.ts';
import { NodeClient } from './hub/node-client.ts';
import type { NodeStore } from './hub/node-store.ts';
import { Nodes } from './hub/nodes.ts';
import { HubClient } from './node/hub-client.ts';
import { HubSessions } from './node/hub-sessions.ts';
import { NodeAgent } from './node/node-agent.ts';
import { ReportedCleanings } from './node/reported-cleanings.ts';
import { HubKeys } from './tokens/hub-keys.ts';
import { HubTokenVerifier } from './tokens/hub-token-verifier.ts';
import { HubTokens } from './tokens/hub-tokens.ts';

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

interface HubTools extends HubAndNodeTools {
  readonly authenticator: Authenticator;
  readonly keyRing: Pick<KeyRing, 'onRemoval'>;
}

/** Services for a hub's work with its nodes. Every server has them: it becomes a hub when a node registers with it. */
export interface HubSide {
  readonly nodes: Nodes;
  readonly nodeClient: NodeClient;
}

interface NodeNeeds extends HubAndNodeTools {
  /** Tells which streams a phone offers. */
  readonly previews: { kindsOf(device: Device): StreamKind[] };
  readonly direct: Pick<DirectInputs, 'offers'>;
  readonly care: Pick<OutOfService, 'on' | 'onChange'>;
  readonly probes: Pick<HealthProbes, 'of'>;
  readonly cleaner: Pick<PhoneCleaner, 'onClean'>;
  readonly ofHub: HubHolders | null;
}

/** Services of a server that is a node of a hub (`SVC_HUB_URL`). */
export interface NodeSide {
  readonly hubUrl: string;
  readonly tokens: HubTokenVerifier;
  readonly sessions: HubSessions;
  /** Starts to report to the hub. Call this method after the server has begun to listen. */
  start(basePath: string): void;
}

export function openHub(tools: HubTools): Module<HubSide> {
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
    authenticator,
    keyRing,
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
  lab.heldLeases.onChange(({ udid }) => nodes.care.leaseChanged(udid));
  keyRing.onRemoval(() => nodeClient.tokens.forgetAll());
  return {
    offers: { nodes, nodeClient },
    handlers: nodeHandlers({ nodes, addresses: nodeAddresses, stores, authenticator, version }),
    schedules: [nodes],
    metrics: [gauge('svc_nodes', 'Nodes of this hub, by status', () => byField('status', nodes.counts()))],
    close: () => nodeClient.close(),
  };
}

/** Opens the node's side, or returns null if this server is not a node of a hub. */
export function openNode(needs: NodeNeeds): Module<NodeSide> | null {
  const { version, config, stores, lab, clock, random, log, outbound } = needs;
  const { previews, direct, care, probes: health, cleaner, ofHub } = needs;
  const { node, jwtIssuer: issuer, nodeTlsCa: ca } = config;
  if (node === null || ofHub === null) return null;
  const hub = new HubClient({ ...node, ca, outbound });
  const keys = new HubKeys({ fetch: () => hub.keys(), clock, log });
  const sessions = new HubSessions(lab, clock);
  const { url, hubUrl } = node;
  const boot = random.uuid();
  const agent = new NodeAgent({
    ...{ hub, keys, version, url, hubUrl, lab, sessions, previews, direct, care, health, clock, log, boot },
    ...{ cleaned: new ReportedCleanings(cleaner), holders: ofHub },
  });
  return {
    offers: {
      hubUrl,
      tokens: new HubTokenVerifier({ keys, issuer, node: new URL(url).host, stores, clock, log }),
      sessions,
      start: (basePath) => agent.start(basePath),
    },
    handlers: {},
    schedules: [],
    metrics: [],
    close: async () => {
      agent.stop();
      await hub.close();
    },
  };
}
