import { type Accounts, type HasherPool, type Mailer, openAccounts } from '@svc/accounts';
import { AppFolder, appFolder, recordingFolder } from '@svc/data-folder';
import {
  type Lab,
  type LocalLab,
  openLab,
  openPhones,
  openRefusals,
  openShares,
  type Phones,
  type Refusals,
  tokenExpiring,
} from '@svc/device-lab';
import { type Agents, openAgents } from '@svc/mcp';
import type { Module } from '@svc/module';
import { HubAddresses, type HubSide, type NodeSide, openHub, openNode, planAtNode } from '@svc/nodes';
import { openPreviews, type PreviewsOffers } from '@svc/previews';
import { openRecordings, type RecordingsOffers } from '@svc/recordings';
import { openWebhooks, type Webhooks } from '@svc/webhooks';
import type { AuditOffers } from '../audit/open.ts';
import { type GridServices, openGrid, type UpstreamGrid } from '../grid/open-grid.ts';
import { createHasherPool } from '../hashing/password-hasher.ts';
import { startHasher } from '../hashing/start-hasher.ts';
import { commonPasswords } from '../runtime/common-passwords.ts';
import { VERSION } from '../runtime/resources.ts';
import type { SettingsOffers } from '../settings/open.ts';
import type { Core } from './core.ts';

/** Subjects of a server that only authenticates, in the order in which they are opened. */
export interface AccountModules {
  readonly audit: Module<AuditOffers>;
  readonly settings: Module<SettingsOffers>;
  readonly refusals: Module<Refusals>;
  readonly accounts: Module<Accounts>;
}

/** Subjects of a server with phones, in the order in which they are opened. Each uses only those before it. */
export interface LabModules {
  readonly webhooks: Module<Webhooks>;
  readonly lab: Module<Lab>;
  readonly shares: Module<null>;
  /** Absent if this server is not the entrance of a grid. */
  readonly grid?: Module<GridServices>;
  readonly hub: Module<HubSide>;
  readonly phones: Module<Phones>;
  readonly previews: Module<PreviewsOffers>;
  /** Absent if this server is not a node of a hub. */
  readonly node?: Module<NodeSide>;
  readonly recordings: Module<RecordingsOffers>;
  readonly agents: Module<Agents>;
}

export interface AccountOptions {
  /** Sender of mail that replaces the server in `SVC_SMTP_URL`. */
  readonly mailer?: Mailer;
  /** Password hasher that replaces bcrypt in worker threads. */
  readonly hasher?: HasherPool;
  /**
   * Whether opening does not wait for the first account, whose password takes a quarter of a second to hash. The caller
   * must then wait for `firstAccount` of the accounts before it serves requests that need an account.
   */
  readonly addsFirstAccountLater?: boolean;
}

/** Opens the accounts, and creates the first one if there is none, unless it is added later. */
export async function openAccountModules(
  core: Core,
  { hasher, mailer, addsFirstAccountLater }: AccountOptions,
): Promise<Pick<AccountModules, 'refusals' | 'accounts'>> {
  const { config, stores } = core;
  const accounts = await openAccounts({
    ...core,
    hasher: hasher ?? createHasherPool(config.bcryptCost),
    startHasher: addsFirstAccountLater ? null : (hasher ?? startHasher(config.bcryptCost)),
    isCommonPassword: config.passwordBlocklist ? commonPasswords() : undefined,
    mailer,
    // Devices that are away (not connected) count as well, because their team is stored.
    countDevices: (teamId) => stores.deviceSettings.all().filter((each) => each.teamId === teamId).length,
    countWebhooks: (teamId) => stores.webhooks.all().filter((each) => each.teamId === teamId).length,
  });
  return { refusals: openRefusals(core), accounts };
}

interface LabOptions {
  readonly upstream: UpstreamGrid | null;
  readonly localLab: LocalLab | null;
  readonly accounts: Accounts;
}

/** Opens the phones and all that is about them. Nothing runs until the schedules of the modules are started. */
export function openLabModules(core: Core, { upstream, localLab, accounts }: LabOptions): LabModules {
  const { config, stores, settings, listening } = core;
  const shared = { ...core, version: VERSION };
  const webhooks = openWebhooks({
    ...shared,
    allowed: config.webhookAllow,
    messages: {
      publicUrl: config.publicUrl,
      sessionOwner: (id) => {
        const ownerId = stores.driverSessions.byId(id)?.ownerId;
        return ownerId == null ? null : (stores.accounts.byId(ownerId)?.email ?? null);
      },
    },
  });
  const hubAddresses = new HubAddresses();
  const labModule = openLab({
    ...core,
    cascade: accounts.cascade,
    appFiles: new AppFolder(appFolder(config.dataDir)),
    addressFor: (node) => (node === null ? listening.address : hubAddresses.of(node)),
    hasGrid: upstream !== null,
    sources: localLab?.sources ?? [],
    sessionEnded: (session) => webhooks.offers.queue.sessionEnded(session),
  });
  const { lab, agents, sessions, hostSources } = labModule.offers;
  webhooks.offers.listenTo(lab.events);
  const shares = openShares({
    ...{ ...core, lab, store: stores.shareLimits },
    byPerson: () => settings.current().usageByPerson === 'on',
  });
  const grid = openGrid(upstream, { ...core, lab, issuer: config.jwtIssuer });
  const ofNodes = { ...shared, lab, grid: grid?.offers.client.name ?? null, hubAddresses };
  const hub = openHub(ofNodes);
  const { nodes, nodeClient } = hub.offers;
  const phones = openPhones({
    ...core,
    ...labModule.offers,
    atNodes: {
      care: nodes.care,
      directInputs: nodes.directInputs,
      planFor: (udid) => planAtNode(udid, { lab, nodes, client: nodeClient }),
    },
  });
  const previews = openPreviews({
    ...core,
    ...{ lab, hostSources, adb: labModule.offers.adb, nodes, nodeClient },
    ...phones.offers,
  });
  const node = openNode({ ...ofNodes, ...phones.offers, previews: previews.offers.previews });
  const recordings = openRecordings({
    ...{ ...ofNodes, settings, sessions, previews: previews.offers.previews, hub: hub.offers },
    folder: recordingFolder(config.dataDir),
  });
  const { changes } = accounts;
  accounts.onTokenExpiring((expiring) => lab.events.publish(tokenExpiring(expiring)));
  changes.onChange(labModule.offers.accountChanged);
  changes.onRemoval(() => labModule.offers.leases.recheck());
  return {
    ...{ webhooks, lab: labModule, shares },
    ...(grid === null ? {} : { grid }),
    ...{ hub, phones, previews },
    ...(node === null ? {} : { node }),
    recordings,
    agents: openAgents({
      ...{ ...core, ...labModule.offers, ...phones.offers, agents, localLab },
      bearerTokens: accounts.bearerTokens,
      runningSessions: lab.sessions,
      recordings: recordings.offers.sessionRecordings,
      isNode: node !== null,
    }),
  };
}
