import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:net';
import {
  AccessKeys,
  ApiTokens,
  Attempts,
  Audit,
  AuditTrail,
  Authenticator,
  BearerTokens,
  bootstrap,
  type Clock,
  type Config,
  credentialSchemes,
  DashboardSessions,
  type KeyRing,
  type Log,
  OpenConnections,
  PasswordResets,
  PasswordSignIn,
  Passwords,
  PasswordVerifier,
  type Random,
  RateLimiter,
  Settings,
  SignInAttempts,
  SignIns,
  type Stores,
  startUpSettings,
  Teams,
  Tickets,
  TokenSigner,
  Users,
} from '@svc/auth-core';
import {
  AppLibrary,
  DeviceControl,
  DeviceDirectory,
  DeviceLab,
  type EventFeed,
  type EventLog,
  HeldLeases,
  Leases,
  Previews,
  RecentRefusals,
  ReportOnlyStats,
  SessionApps,
  SessionDirectory,
  VirtualPhones,
  type WebhookDirectory,
} from '@svc/device-lab';
import { openStore, type SqliteStore } from '@svc/store-sqlite';
import { AiTests } from './ai/ai-tests.ts';
import { AppFolder } from './apps/app-files.ts';
import { appFolder, auditKeyFile, loadKeyRing, prepareDataDir } from './data-dir.ts';
import { deviceSources } from './device-sources.ts';
import { createHasherPool, type HasherPool } from './hashing/password-hasher.ts';
import { liveEvents } from './live-events.ts';
import { localAddress } from './local-address.ts';
import { type Mailer, smtpMailer } from './mail/mailer.ts';
import { Outbox } from './mail/outbox.ts';
import { type HubSide, type NodeSide, openHubSide, openNodeSide } from './nodes/open-nodes.ts';
import { commonPasswords } from './passwords/common-passwords.ts';
import { recallAddresses } from './passwords/recall-addresses.ts';
import { ResetDelivery } from './passwords/reset-delivery.ts';
import { scheduleAuditRetention } from './schedule-audit-retention.ts';
import { scheduleCleanup } from './schedule-cleanup.ts';
import { scheduleDeviceTidying } from './schedule-device-tidying.ts';
import { scheduleFlush } from './schedule-flush.ts';
import { scheduleLeaseEnds } from './schedule-lease-ends.ts';
import { scheduleRemoval } from './schedule-removal.ts';
import { ServerLock } from './server-lock.ts';
import { deviceStreams } from './streams/device-streams.ts';
import { Streams } from './streams/streams.ts';
import { startWebhooks } from './webhooks/webhook-service.ts';

const AUDIT_FLUSH_MS = 1000;
const HOUR_MS = 60 * 60 * 1000;

/** An account gets this many times the reset links one address may ask for, in the same window. */
const LINKS_PER_ACCOUNT = 4;

/** Everything the routes and the plugin work with, put together by hand in this one place. */
export interface Services extends HubSide {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  readonly stores: Stores;
  readonly audit: Audit;
  readonly auditTrail: AuditTrail;
  readonly keyRing: KeyRing;
  readonly signer: TokenSigner;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly signIns: SignIns;
  readonly dashboardSessions: DashboardSessions;
  readonly passwordSignIn: PasswordSignIn;
  readonly signInAttempts: SignInAttempts;
  readonly passwords: Passwords;
  readonly resets: PasswordResets;
  readonly resetDelivery: ResetDelivery;
  readonly accessKeys: AccessKeys;
  readonly apiTokens: ApiTokens;
  readonly bearerTokens: BearerTokens;
  readonly tickets: Tickets;
  readonly openConnections: OpenConnections;
  readonly users: Users;
  readonly teams: Teams;
  /** What can be set over the API, as it counts now. */
  readonly settings: Settings;
  readonly aiTests: AiTests;
  readonly lab: DeviceLab;
  readonly apps: AppLibrary;
  readonly eventFeed: EventFeed;
  readonly eventLog: EventLog;
  readonly devices: DeviceDirectory;
  readonly leases: Leases;
  readonly deviceControl: DeviceControl;
  readonly previews: Previews;
  readonly streams: Streams;
  readonly sessions: SessionDirectory;
  readonly webhooks: WebhookDirectory;
  /** Null: this server is no node of a hub. */
  readonly node: NodeSide | null;
  /** Why requests were refused, for Admins. */
  readonly refusals: RecentRefusals;
  /** Null unless commands are checked for the report only. */
  readonly reportOnlyStats: ReportOnlyStats | null;
  /** Call it with the server this one listens on: a second start on the same data names it, drivers fetch apps from it. */
  announce(server: Server): void;
  /** Whether every check could run now; never throws. */
  readiness(): Readiness;
  /** Writes the audit rows that wait. */
  flushAudit(): void;
  close(): Promise<void>;
}

interface Readiness {
  readonly database: boolean;
  readonly signingKey: boolean;
  readonly migrations: boolean;
}

export interface ServicesOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** Instead of the server of `SVC_SMTP_URL`. */
  readonly mailer?: Mailer;
  /** Instead of bcrypt in worker threads. */
  readonly hasher?: HasherPool;
}

/** Throws when another server runs on the same data. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  prepareDataDir(options.config.dataDir);
  const lock = await ServerLock.take(options.config);
  try {
    return await compose(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function compose(
  {
    config,
    log,
    clock = { now: Date.now },
    mailer,
    hasher = createHasherPool(config.bcryptCost),
  }: ServicesOptions,
  lock: ServerLock,
): Promise<Services> {
  const stores = await openStore({
    file: config.databaseFile,
    auditKeyFile: auditKeyFile(config.dataDir),
    clock,
    log,
    autoMigrate: config.autoMigrate,
  });
  const random: Random = { bytes: randomBytes, uuid: randomUUID };
  const audit = new Audit(stores, clock, random);
  const auditing = keepFlushing(audit, log);
  const settings = new Settings({ stores, audit }, startUpSettings(config));
  const auditTrail = new AuditTrail(
    { stores, clock, audit, flush: auditing.flush },
    { retentionDays: () => settings.current().auditRetentionDays },
  );
  const keyRing = await loadKeyRing(config.dataDir, log);
  const signer = new TokenSigner(keyRing, clock, random, config.jwtIssuer);
  const isCommonPassword = config.passwordBlocklist ? commonPasswords() : undefined;
  const shared = { stores, clock, random, hasher, audit, log, isCommonPassword };
  await bootstrap(shared, config.bootstrap);
  const rateLimiter = new RateLimiter(clock);
  const schemes = credentialSchemes({ stores, signer, signInTtlMs: config.signInTtlMs });
  const authenticator = new Authenticator({ stores, clock, audit, limiter: rateLimiter, schemes });
  const apps = new AppLibrary(
    { ...shared, apps: stores.apps, files: new AppFolder(appFolder(config.dataDir)), authenticator },
    { appBytes: config.appMaxBytes, allBytes: config.appsMaxBytes },
  );
  const tickets = new Tickets({ stores, authenticator, signer, authDisabled: config.authDisabled });
  let address: () => string | null = () => null;
  const live = liveEvents({
    stores,
    audit,
    clock,
    random,
    log,
    retentionDays: () => settings.current().eventLogRetentionDays,
  });
  const webhooks = startWebhooks({ config, stores, authenticator, audit, clock, random, log });
  const lab = new DeviceLab({
    apps: new SessionApps({ library: apps, tickets, baseUrl: () => address() }),
    sessions: stores.driverSessions,
    commands: stores.commandLog,
    deviceSettings: stores.deviceSettings,
    sources: deviceSources(config, log),
    maxSessions: () => settings.current().maxSessions,
    retentionDays: {
      commands: () => settings.current().eventLogRetentionDays,
      sessions: () => settings.current().sessionRetentionDays,
    },
    clock,
    log,
    onCommand: (seen) => live.commands.note(seen),
    endRecorder: {
      transaction: (work) => stores.transaction(work),
      ended: (session) => webhooks.queue.sessionEnded(session),
    },
  });
  const virtualPhones = new VirtualPhones(lab, clock);
  live.follow(lab);
  webhooks.listenTo(lab.events);
  const previews = new Previews(deviceStreams(lab, virtualPhones, config.adb), clock);
  const deviceControl = new DeviceControl({ lab, virtualPhones, stores, audit, clock, log });
  const openConnections = new OpenConnections({ stores, authenticator, clock, log });
  if (config.authDisabled)
    log.warn('Authentication is DISABLED: everybody who reaches this server is a Super admin');
  // Several people may share the wish for one account's link; one mailbox is not flooded by many addresses.
  const { attempts, windowMs } = config.resetLimit;
  const perAccount = new Attempts(clock, { attempts: attempts * LINKS_PER_ACCOUNT, windowMs });
  const resets = new PasswordResets(shared, { linkTtlMs: config.resetLinkTtlMs, perAccount });
  const outbox = openOutbox(config, audit, log, mailer);
  const resetDelivery = new ResetDelivery({ config, resets, outbox, log });
  const signInAttempts = new SignInAttempts(clock, {
    byAddress: config.loginLimit,
    perAccount: config.accountLimit,
  });
  recallAddresses(signInAttempts, stores);
  const signIns = new SignIns(shared, { ttlMs: config.signInTtlMs });
  const verifier = new PasswordVerifier(shared, { bcryptCost: config.bcryptCost });
  const tidying = scheduleCleanup(stores, clock, log);
  const forgetting = scheduleAuditRetention(auditTrail, log);
  const logging = scheduleFlush([lab.commandLog, live.eventLog]);
  const pruning = [
    { what: 'Old sessions and commands', everyMs: HOUR_MS, removeOld: () => lab.removeOld() },
    { what: 'Old events', everyMs: HOUR_MS, removeOld: () => live.eventLog.removeOld() },
  ].map((removal) => scheduleRemoval(removal, log));
  const held = new HeldLeases({ store: stores.leases, lab, stores, audit, clock, log });
  lab.honour(held);
  const remembering = scheduleDeviceTidying(lab.devices);
  const around = { config, stores, lab, signer, clock, random, log };
  const hubSide = openHubSide(around);
  const node = openNodeSide(around);
  lab.start();
  const ending = scheduleLeaseEnds(held);
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
    signIns,
    dashboardSessions: new DashboardSessions({ stores, authenticator, signIns }),
    passwordSignIn: new PasswordSignIn({ signIns, passwords: verifier, attempts: signInAttempts }),
    signInAttempts,
    passwords: new Passwords({ ...shared, authenticator }),
    resets,
    resetDelivery,
    accessKeys: new AccessKeys(shared),
    apiTokens: new ApiTokens(shared),
    bearerTokens: new BearerTokens({ ...shared, authenticator, signer, mcpLifetime: config.mcpTokenTtl }),
    tickets,
    openConnections,
    users: new Users({ ...shared, authenticator }),
    teams: new Teams({
      ...shared,
      countDevices: (teamId) => lab.devices.list().filter((device) => device.teamId === teamId).length,
    }),
    settings,
    aiTests: new AiTests(settings, { apiKey: config.ai.apiKey }),
    lab,
    apps,
    eventFeed: live.eventFeed,
    eventLog: live.eventLog,
    devices: new DeviceDirectory({ lab, leases: held, stores, audit }),
    leases: new Leases({ held, lab, clock, random }),
    deviceControl,
    previews,
    streams: new Streams({ tickets, openConnections, lab, deviceControl, previews, log }),
    sessions: new SessionDirectory({ lab, stores, audit }),
    webhooks: webhooks.directory,
    ...hubSide,
    node,
    refusals: new RecentRefusals(clock),
    reportOnlyStats: config.commandAuthReportOnly && !config.authDisabled ? new ReportOnlyStats(clock) : null,
    announce: (server) => {
      lock.announce(server);
      address = () => localAddress(server);
    },
    readiness: () => readinessOf(stores, keyRing),
    flushAudit: auditing.flush,
    close: async () => {
      await node?.close();
      hubSide.nodes.stop();
      await hubSide.nodeClient.close();
      lab.stop();
      remembering.stop();
      ending.stop();
      tidying.stop();
      forgetting.stop();
      for (const removal of pruning) removal.stop();
      logging.stop();
      await webhooks.close();
      await resetDelivery.close();
      auditing.stop();
      await hasher.close();
      stores.close();
      lock.release();
    },
  };
}

function readinessOf(stores: SqliteStore, keyRing: KeyRing): Readiness {
  const { database, migrations } = stores.ready();
  return { database: database && canLookUp(stores), signingKey: keyRing.current !== undefined, migrations };
}

/** A file that opens may still lack what every check needs. */
function canLookUp({ accounts }: Stores): boolean {
  try {
    accounts.isEmpty();
    return true;
  } catch {
    return false;
  }
}

function openOutbox({ mail }: Config, audit: Audit, log: Log, mailer?: Mailer): Outbox | null {
  if (mailer !== undefined) return new Outbox(mailer, audit, log);
  const { smtpUrl, from } = mail;
  return smtpUrl === null ? null : new Outbox(smtpMailer({ smtpUrl, from }), audit, log);
}

/** Writes waiting audit rows once a second; `stop` writes the last ones. */
function keepFlushing(audit: Audit, log: Log): { flush(): void; stop(): void } {
  const flush = ({ closing = false } = {}) => {
    try {
      audit.flush({ closing });
    } catch (error) {
      log.error('The audit trail cannot be written', { cause: String(error) });
    }
  };
  const timer = setInterval(() => flush(), AUDIT_FLUSH_MS).unref();
  const stop = () => {
    clearInterval(timer);
    flush({ closing: true });
  };
  return { flush: () => flush(), stop };
}
