import { CLEAN_MODES, DEFAULT_ADMIN_EMAIL, MAX_QUEUE_SECONDS, SPECTATOR_MODES } from '@svc/contract';
import * as addresses from './address-rules.ts';
import { AllowedOrigins } from './allowed-origins.ts';
import { deviceList } from './device-list.ts';
import { ENTRANCE_VARIABLES } from './entrance-settings.ts';
import { readIos } from './ios-phones.ts';
import { LAB_VARIABLES } from './lab-settings.ts';
import { readOidc, readPasswordSignIn } from './oidc-settings.ts';
import { openProxyAddress, proxyAddress } from './proxy-address.ts';
import { Reader, type Sources } from './reader.ts';
import * as rules from './rules.ts';
import {
  readAdb,
  readAi,
  readDrivers,
  readNode,
  readProbes,
  readPublicUrl,
  readRecording,
  readTelemetry,
} from './setting-groups.ts';
import { unknownVariables } from './unknown-variables.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const DAY_MS = 24 * 60 * 60 * 1000;
const KIB = 1024;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** Maximum lifetime of a token: a hundred years, in seconds. Longer lifetimes could exceed the range of `Date`. */
const LONGEST_LIFE_SEC = 100 * 365 * 24 * 60 * 60;

/** Variables that are read only if `SVC_HUB_URL` is set. Without it, they must not be reported as unknown variables. */
const NODE_VARIABLES = ['SVC_NODE_ACCESS_KEY', 'SVC_NODE_TOKEN', 'SVC_NODE_TOKEN_FILE', 'SVC_NODE_URL'];
/**
 * Variables that only `svc proxy` and the clients read. The server ignores them. It does not report them as unknown,
 * because clients are often started from the same shell as the server.
 */
const CLIENT_VARIABLES = [
  'SVC_URL',
  'SVC_ACCESS_KEY',
  'SVC_ACCESS_KEY_FILE',
  'SVC_TOKEN',
  'SVC_TOKEN_FILE',
  'SVC_AUDIENCE',
  'SVC_CAPABILITIES',
];

/** Configuration and the warnings about it. Warnings name variables and rules but never quote values. */
export interface ConfigReading {
  readonly config: Config;
  readonly warnings: readonly string[];
  /**
   * The part of `warnings` that reports checks which are off although the operator tried to switch them on, for example
   * with a misspelt variable.
   */
  readonly unenforced: readonly string[];
}

/** Settings of the service, read once at start from the environment and the plugin options (contract 5). */
export type Config = Readonly<ReturnType<typeof settingsFrom>>;

/** SMTP server and sender address of the mail that this server sends (specification 5.10). */
export type MailConfig = Config['mail'];

function settingsFrom(reader: Reader, sources: Sources) {
  const dataDir = sources.resolvePath(
    reader.value('SVC_DATA_DIR', rules.text) ?? `${sources.homeDir}/.cache/svc`,
  );
  return {
    /**
     * Settings that are set in the environment or in plugin options. None of them holds a secret. The reader adds to
     * this list while the other settings are read.
     */
    given: reader.given,
    dataDir,
    /** Absolute path of the database file. */
    databaseFile: sources.resolvePath(
      reader.vital('SVC_DATABASE_URL', rules.databaseUrl) ?? `${dataDir}/svc.db`,
    ),
    autoMigrate: reader.value('SVC_AUTO_MIGRATE', rules.trueOrFalse) ?? true,
    backup: {
      /** Absolute path of the folder that backups are written to. */
      dir: sources.resolvePath(reader.value('SVC_BACKUP_DIR', rules.text) ?? `${dataDir}/backups`),
      /** Hours between scheduled backups. With 0, no backup is made automatically except before an upgrade. */
      intervalHours: reader.value('SVC_BACKUP_INTERVAL_HOURS', rules.integer(0, 8760)) ?? 0,
      /** Maximum number of automatic backups to keep. */
      keep: reader.value('SVC_BACKUP_KEEP', rules.integer(1, 1000)) ?? 7,
      /** Whether scheduled backups include the app library. */
      apps: reader.value('SVC_BACKUP_APPS', rules.trueOrFalse) ?? true,
      /** Whether scheduled backups include the recordings. */
      recordings: reader.value('SVC_BACKUP_RECORDINGS', rules.trueOrFalse) ?? false,
    },
    logLevel: reader.value('SVC_LOG_LEVEL', rules.oneOf(LOG_LEVELS)) ?? 'info',
    metrics: {
      /** Bearer token that can read the metrics and nothing else, or null if only Admins can read the metrics. */
      scrapeToken: reader.minorSecret('SVC_METRICS_TOKEN', rules.scrapeToken) ?? null,
      ...readTelemetry(reader),
    },
    authDisabled: reader.either('SVC_AUTH_DISABLED', rules.trueOrFalse),
    requireSessionToken: reader.requirement('SVC_REQUIRE_SESSION_TOKEN', rules.truthySwitch),
    requireCommandAuth: reader.requirement('SVC_REQUIRE_COMMAND_AUTH', rules.truthySwitch),
    commandAuthReportOnly: reader.value('SVC_COMMAND_AUTH_REPORT_ONLY', rules.trueOrFalse) ?? false,
    allowedOrigins: reader.value('SVC_ALLOWED_ORIGINS', rules.origins) ?? AllowedOrigins.none(),
    /**
     * Addresses or CIDR ranges of trusted proxies. If empty, the client address is the first value of
     * `X-Forwarded-For`, or the address of the socket if there is no such header (5.9.3).
     */
    trustedProxies: reader.vital('SVC_TRUSTED_PROXIES', addresses.addressList) ?? [],
    ...readPublicUrl(reader),
    mail: {
      smtpUrl: reader.minorSecret('SVC_SMTP_URL', addresses.smtpUrl) ?? null,
      from: reader.value('SVC_MAIL_FROM', rules.text) ?? 'svc <no-reply@svc.local>',
    },
    passwordResetLogFallback: reader.value('SVC_PASSWORD_RESET_LOG_FALLBACK', rules.trueOrFalse) ?? false,
    /** Which accounts can sign in with a password: all (`on`), or only Super admins (`break-glass`) (contract 10.1). */
    passwordSignIn: readPasswordSignIn(reader),
    oidc: readOidc(reader),
    /**
     * Whether revoking a token or key also ends the bearer and session tokens that were minted from it (contract 10.4).
     */
    revocationCascade: reader.value('SVC_REVOCATION_CASCADE', rules.trueOrFalse) ?? false,
    passwordBlocklist: reader.value('SVC_PASSWORD_BLOCKLIST', rules.trueOrFalse) ?? true,
    signInTtlMs: reader.value('SVC_USER_SESSION_TTL_MS', rules.integer(1)) ?? DAY_MS,
    resetLinkTtlMs: reader.value('SVC_RESET_TOKEN_TTL_MS', rules.integer(1)) ?? 60 * 60 * 1000,
    loginLimit: {
      attempts: reader.value('SVC_LOGIN_RATE_LIMIT_ATTEMPTS', rules.integer(1)) ?? 5,
      windowMs: reader.value('SVC_LOGIN_RATE_LIMIT_WINDOW_MS', rules.integer(1)) ?? 5 * 60 * 1000,
    },
    /**
     * Maximum number of failed sign-ins to one account per window of `loginLimit`; 0 means unlimited. After that,
     * client addresses that have not signed in to the account before are refused (contract 4).
     */
    accountLimit: reader.value('SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS', rules.integer(0)) ?? 100,
    resetLimit: {
      attempts: reader.value('SVC_RESET_RATE_LIMIT_ATTEMPTS', rules.integer(1)) ?? 3,
      windowMs: reader.value('SVC_RESET_RATE_LIMIT_WINDOW_MS', rules.integer(1)) ?? 15 * 60 * 1000,
    },
    /** Lifetime of an MCP token, in seconds. */
    mcpTokenTtl: reader.value('SVC_MCP_TOKEN_TTL_SEC', rules.integer(1, LONGEST_LIFE_SEC)) ?? 86_400,
    jwtIssuer: reader.value('SVC_JWT_ISSUER', rules.text) ?? 'svc',
    bcryptCost: reader.value('SVC_BCRYPT_COST', rules.integer(10, 15)) ?? 12,
    bootstrap: {
      email: reader.vital('SVC_BOOTSTRAP_ADMIN_EMAIL', rules.emailAddress) ?? null,
      password: reader.secret('SVC_BOOTSTRAP_ADMIN_PASSWORD', rules.firstPassword) ?? null,
      resetPassword: reader.value('SVC_BOOTSTRAP_RESET_PASSWORD', rules.trueOrFalse) ?? false,
    },
    /** Maximum number of running and starting sessions; 0 means no limit (specification 8.2). */
    maxSessions: reader.value('SVC_MAX_SESSIONS', rules.sessionLimit) ?? 0,
    /**
     * Seconds for which a create-session request waits for a free phone, unless its capabilities specify another time
     * (contract 13).
     */
    queueSeconds: reader.value('SVC_QUEUE_SECONDS', rules.integer(0, MAX_QUEUE_SECONDS)) ?? 0,
    /** What clients and the lab decide about where the drivers of this host run (contract 14). */
    drivers: readDrivers(reader),
    probes: readProbes(reader),
    /** Maximum number of leases that one account holds at the same time; 0 means no limit (contract 4). */
    leasesPerAccount: reader.value('SVC_LEASES_PER_ACCOUNT', rules.integer(0)) ?? 8,
    /** Who may watch the screen of a phone through a link of its holder. */
    spectators: reader.value('SVC_SPECTATORS', rules.oneOf(SPECTATOR_MODES)) ?? 'accounts',
    /** Maximum number of open connections per client address, except trusted proxies; 0 means no limit. */
    maxConnectionsPerAddress: reader.value('SVC_MAX_CONNECTIONS_PER_ADDRESS', rules.integer(0)) ?? 512,
    /** Maximum size of the body of a create-session request, in bytes. */
    createMaxBytes: reader.value('SVC_CREATE_MAX_BYTES', rules.integer(1, 16 * MIB)) ?? 512 * KIB,
    eventLogRetentionDays: reader.value('SVC_EVENT_LOG_RETENTION_DAYS', rules.retentionDays) ?? 30,
    sessionRetentionDays: reader.value('SVC_SESSION_RETENTION_DAYS', rules.retentionDays) ?? 365,
    auditRetentionDays: reader.value('SVC_AUDIT_RETENTION_DAYS', rules.retentionDays) ?? 365,
    /** Who sees the picture of a phone on which a session runs: everyone who sees the phone, or who may drive it. */
    preview: reader.value('SVC_PREVIEW', rules.oneOf(['all', 'own'])) ?? 'all',
    /** What is removed from an adb phone between two holders (contract 17.3). */
    clean: reader.value('SVC_CLEAN', rules.oneOf(CLEAN_MODES)) ?? 'off',
    recording: readRecording(reader),
    ai: readAi(reader),
    /** Maximum size of one app in the library, in bytes. */
    appMaxBytes: reader.value('SVC_APP_MAX_BYTES', rules.integer(1)) ?? 2 * GIB,
    /** Maximum total size of all apps in the library, in bytes. */
    appsMaxBytes: reader.value('SVC_APPS_MAX_BYTES', rules.integer(1)) ?? 20 * GIB,
    /** Phones that the operator lists in `SVC_DEVICES`. */
    devices: reader.vital('SVC_DEVICES', deviceList) ?? [],
    ...readAdb(reader, sources),
    /** The iOS phones that are plugged into the host. */
    ios: readIos(reader, sources.env),
    /**
     * Host names, addresses and CIDR ranges to which webhooks are allowed to send requests, in addition to the
     * addresses allowed by default.
     */
    webhookAllow: reader.value('SVC_WEBHOOK_ALLOW', addresses.hostList) ?? [],
    /**
     * Host names, addresses and CIDR ranges that are allowed for nodes of this hub, in addition to the addresses
     * allowed by default.
     */
    nodeAllow: reader.value('SVC_NODE_ALLOW', addresses.hostList) ?? [],
    /**
     * Hosts, addresses and CIDR ranges at which the issuers of CI jobs are reached, in addition to those that are
     * always allowed.
     */
    workloadAllow: reader.value('SVC_WORKLOAD_ALLOW', addresses.hostList) ?? [],
    node: readNode(reader),
    /** HTTP proxy for connections to other servers, or null to connect directly. */
    proxy: reader.secret('SVC_PROXY', proxyAddress) ?? reader.vital('SVC_PROXY', openProxyAddress) ?? null,
    /**
     * Certificate authorities (PEM) that hub and nodes trust instead of the system's, or null to trust the system's.
     */
    nodeTlsCa: reader.vital('SVC_NODE_TLS_CA', rules.certificatesIn(sources.readFile)) ?? null,
  };
}

/**
 * Reads the whole configuration once at start (contract 5). Throws `ConfigError` if an unusable value must stop the
 * start.
 */
export function readConfig(sources: Sources): ConfigReading {
  const reader = new Reader(sources);
  const config = settingsFrom(reader, sources);
  if (reader.value('SVC_DATABASE_PROVIDER', rules.text) !== undefined) {
    reader.warnings.push('SVC_DATABASE_PROVIDER has no effect: the database is SQLite');
  }
  if (config.bootstrap.password !== null && config.bootstrap.email === null) {
    reader.warnings.push(`SVC_BOOTSTRAP_ADMIN_EMAIL is not set; the first account is ${DEFAULT_ADMIN_EMAIL}`);
  }
  const unknown = unknownVariables(sources.env, [
    ...reader.known,
    ...NODE_VARIABLES,
    ...LAB_VARIABLES,
    ...ENTRANCE_VARIABLES,
    ...CLIENT_VARIABLES,
  ]);
  return {
    config,
    warnings: [...reader.warnings, ...unknown.map(({ warning }) => warning)],
    unenforced: [
      ...reader.unenforced,
      ...unknown.filter(({ isRequirement }) => isRequirement).map(({ warning }) => warning),
    ],
  };
}
