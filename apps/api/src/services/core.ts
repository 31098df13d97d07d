import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Audit,
  Authenticator,
  type Clock,
  credentialSchemes,
  type KeyRing,
  type Log,
  longestLife,
  type Random,
  RateLimiter,
  Tickets,
  TokenMakingLimit,
  TokenSigner,
} from '@svc/auth-core';
import { KeyKeeper } from '@svc/data-folder';
import { type Module, OpenConnections } from '@svc/module';
import { Lookups, Outbound } from '@svc/outbound';
import type { Config, Settings } from '@svc/settings';
import type { SqliteStore } from '@svc/store-sqlite';
import { type AuditOffers, openAudit } from '../audit/open.ts';
import { ListeningServer } from '../runtime/local-address.ts';
import { openSettings, type SettingsOffers } from '../settings/open.ts';

/** Maximum number of bearer tokens and tickets per account and minute, all credentials together (contract 4). */
const MOST_MINTED = 1_200;

/** What every subject uses, such as the data, the authentication and the audit trail. */
export interface Core {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  readonly stores: SqliteStore;
  readonly audit: Audit;
  readonly keyRing: KeyRing;
  readonly signer: TokenSigner;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly tickets: Tickets;
  /** Limit of bearer tokens and tickets per account, all credentials together (contract 4). */
  readonly minting: TokenMakingLimit;
  readonly openConnections: OpenConnections;
  /** Opens connections to other servers, through the configured proxy if there is one. */
  readonly outbound: Outbound;
  /** Resolves host names that users enter, such as those of webhooks and nodes. */
  readonly lookups: Lookups;
  /** The HTTP server of this process, once it listens. */
  readonly listening: ListeningServer;
  /** The current values of the settings that the API can change. */
  readonly settings: Settings;
}

interface OpenCore {
  readonly core: Core;
  readonly modules: {
    readonly audit: Module<AuditOffers>;
    readonly settings: Module<SettingsOffers>;
  };
  /** Stops the change of keys. */
  stop(): void;
}

/** Opens what every subject uses. The caller must close the store. */
export async function openCore({
  config,
  log,
  clock,
  stores,
}: Pick<Core, 'config' | 'log' | 'clock' | 'stores'>): Promise<OpenCore> {
  const random: Random = { bytes: randomBytes, uuid: randomUUID };
  const outbound = new Outbound(config.proxy);
  const retentionDays = () => settings.current().auditRetentionDays;
  const auditModule = openAudit({ stores, clock, random, log, retentionDays });
  const { audit } = auditModule.offers;
  const settingsModule = openSettings({ config, stores, audit, outbound });
  const { settings } = settingsModule.offers;
  const keys = await KeyKeeper.open({
    ...{ dataDir: config.dataDir, mcpTokenTtl: config.mcpTokenTtl, clock, log },
    changed: (kid) => audit.recordBestEffort('sys_signing_key_changed', { target: kid }),
  });
  keys.start();
  const keyRing = keys.ring;
  const signer = new TokenSigner(keyRing, clock, random, config.jwtIssuer, longestLife(config.mcpTokenTtl));
  const rateLimiter = new RateLimiter(clock);
  const minting = new TokenMakingLimit(clock, MOST_MINTED);
  const schemes = credentialSchemes({ stores, signer, signInTtlMs: config.signInTtlMs });
  const authenticator = new Authenticator({ stores, clock, audit, limiter: rateLimiter, schemes, signer });
  const openConnections = new OpenConnections({ stores, authenticator, clock, log });
  keyRing.onRemoval(() => openConnections.closeAll('the key that signs tokens was taken away'));
  const tickets = new Tickets({ stores, authenticator, signer, authDisabled: config.authDisabled, minting });
  return {
    core: {
      ...{ config, log, clock, random, stores, audit, keyRing, signer, authenticator, rateLimiter, tickets },
      ...{ minting, openConnections, outbound, settings },
      lookups: new Lookups(),
      listening: new ListeningServer(),
    },
    modules: { audit: auditModule, settings: settingsModule },
    stop: () => keys.stop(),
  };
}
