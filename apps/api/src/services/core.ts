import { randomBytes, randomUUID } from 'node:crypto';
import {
  Audit,
  Authenticator,
  type Clock,
  credentialSchemes,
  type KeyRing,
  type Log,
  MOST_MINTED,
  type Random,
  RateLimiter,
  Tickets,
  TokenMakingLimit,
  TokenSigner,
} from '@svc/auth-core';
import { KeyKeeper } from '@svc/data-folder';
import { HOUR_MS, OpenConnections, removing } from '@svc/module';
import { Lookups, Outbound } from '@svc/outbound';
import { type Config, LabLogo, Settings, startUpSettings } from '@svc/settings';
import type { SqliteStore } from '@svc/store-sqlite';
import { AuditTrail } from '../audit/audit-trail.ts';
import { ListeningServer } from '../runtime/local-address.ts';
import { scheduleAuditFlush } from '../schedules/audit-flush.ts';

/** Services that every feature uses, such as the data, the authentication and the audit trail. */
export interface CoreServices {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  readonly stores: SqliteStore;
  readonly audit: Audit;
  readonly auditTrail: AuditTrail;
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
  readonly labLogo: LabLogo;
  /** Writes the audit rows that wait in memory to the database. */
  flushAudit(): void;
}

/**
 * Opens the core services and starts their schedules. `stop` ends the schedules, but the caller must close the store.
 */
export async function openCore({
  config,
  log,
  clock,
  stores,
}: Pick<CoreServices, 'config' | 'log' | 'clock' | 'stores'>): Promise<CoreServices & { stop(): void }> {
  const random: Random = { bytes: randomBytes, uuid: randomUUID };
  const audit = new Audit(stores, clock, random);
  const auditing = scheduleAuditFlush(audit, log);
  const settings = new Settings({ stores, audit }, startUpSettings(config));
  const labLogo = new LabLogo({ stores, audit });
  const auditTrail = new AuditTrail(
    { stores, clock, audit, flush: auditing.flush },
    { retentionDays: () => settings.current().auditRetentionDays },
  );
  const keys = await KeyKeeper.open({
    ...{ dataDir: config.dataDir, mcpTokenTtl: config.mcpTokenTtl, clock, log },
    changed: (kid) => audit.recordBestEffort('sys_signing_key_changed', { target: kid }),
  });
  keys.start();
  const keyRing = keys.ring;
  const signer = new TokenSigner(keyRing, clock, random, config.jwtIssuer);
  const rateLimiter = new RateLimiter(clock);
  const minting = new TokenMakingLimit(clock, MOST_MINTED);
  const schemes = credentialSchemes({ stores, signer, signInTtlMs: config.signInTtlMs });
  const authenticator = new Authenticator({ stores, clock, audit, limiter: rateLimiter, schemes, signer });
  const openConnections = new OpenConnections({ stores, authenticator, clock, log });
  keyRing.onRemoval(() => openConnections.closeAll('the key that signs tokens was taken away'));
  const retention = removing(
    { what: 'Old audit rows', everyMs: 24 * HOUR_MS, removeOld: () => auditTrail.removeOld() },
    log,
  );
  retention.start();
  return {
    config,
    log,
    clock,
    random,
    stores,
    audit,
    auditTrail,
    keyRing,
    signer,
    authenticator,
    rateLimiter,
    minting,
    tickets: new Tickets({ stores, authenticator, signer, authDisabled: config.authDisabled, minting }),
    openConnections,
    outbound: new Outbound(config.proxy),
    lookups: new Lookups(),
    listening: new ListeningServer(),
    settings,
    labLogo,
    flushAudit: auditing.flush,
    stop: () => {
      keys.stop();
      retention.stop();
      auditing.stop();
    },
  };
}
