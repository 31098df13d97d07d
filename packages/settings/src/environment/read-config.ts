import { AllowedOrigins, ConfigError } from '@svc/auth-core';
import {
  ADB_REMOTE_MODES,
  AI_PROVIDERS,
  CLEAN_MODES,
  DEFAULT_ADMIN_EMAIL,
  MAX_QUEUE_SECONDS,
  RECORDING_MODES,
  SPECTATOR_MODES,
} from '@svc/contract';
import { adbAddress, usualAdbAddress } from './adb-server.ts';
import { type Config, LOG_LEVELS } from './config.ts';
import { deviceList } from './device-list.ts';
import { ENTRANCE_VARIABLES } from './entrance-settings.ts';
import { readIos } from './ios-phones.ts';
import { LAB_VARIABLES } from './lab-settings.ts';
import { readOidc, readPasswordSignIn } from './oidc-settings.ts';
import { openProxyAddress, proxyAddress } from './proxy-address.ts';
import { Reader, type Sources } from './reader.ts';
import * as rules from './rules.ts';
import { unknownVariables } from './unknown-variables.ts';

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

/**
 * Reads the whole configuration once at start (contract 5). Throws `ConfigError` if an unusable value must stop the
 * start.
 */
export function readConfig(sources: Sources): ConfigReading {
  const reader = new Reader(sources);
  const dataDir = sources.resolvePath(
    reader.value('SVC_DATA_DIR', rules.text) ?? `${sources.homeDir}/.cache/svc`,
  );
  const config: Config = {
    // The reader adds to this list while the other settings are read.
    given: reader.given,
    dataDir,
    databaseFile: sources.resolvePath(
      reader.vital('SVC_DATABASE_URL', rules.databaseUrl) ?? `${dataDir}/svc.db`,
    ),
    autoMigrate: reader.value('SVC_AUTO_MIGRATE', rules.trueOrFalse) ?? true,
    backup: {
      dir: sources.resolvePath(reader.value('SVC_BACKUP_DIR', rules.text) ?? `${dataDir}/backups`),
      intervalHours: reader.value('SVC_BACKUP_INTERVAL_HOURS', rules.integer(0, 8760)) ?? 0,
      keep: reader.value('SVC_BACKUP_KEEP', rules.integer(1, 1000)) ?? 7,
      apps: reader.value('SVC_BACKUP_APPS', rules.trueOrFalse) ?? true,
      recordings: reader.value('SVC_BACKUP_RECORDINGS', rules.trueOrFalse) ?? false,
    },
    logLevel: reader.value('SVC_LOG_LEVEL', rules.oneOf(LOG_LEVELS)) ?? 'info',
    metrics: {
      scrapeToken: reader.minorSecret('SVC_METRICS_TOKEN', rules.scrapeToken) ?? null,
      ...readTelemetry(reader),
    },
    authDisabled: reader.either('SVC_AUTH_DISABLED', rules.trueOrFalse),
    requireSessionToken: reader.requirement('SVC_REQUIRE_SESSION_TOKEN', rules.truthySwitch),
    requireCommandAuth: reader.requirement('SVC_REQUIRE_COMMAND_AUTH', rules.truthySwitch),
    commandAuthReportOnly: reader.value('SVC_COMMAND_AUTH_REPORT_ONLY', rules.trueOrFalse) ?? false,
    allowedOrigins: reader.value('SVC_ALLOWED_ORIGINS', rules.origins) ?? AllowedOrigins.none(),
    trustedProxies: reader.vital('SVC_TRUSTED_PROXIES', rules.addressList) ?? [],
    ...readPublicUrl(reader),
    mail: {
      smtpUrl: reader.minorSecret('SVC_SMTP_URL', rules.smtpUrl) ?? null,
      from: reader.value('SVC_MAIL_FROM', rules.text) ?? 'svc <no-reply@svc.local>',
    },
    passwordResetLogFallback: reader.value('SVC_PASSWORD_RESET_LOG_FALLBACK', rules.trueOrFalse) ?? false,
    passwordSignIn: readPasswordSignIn(reader),
    oidc: readOidc(reader),
    revocationCascade: reader.value('SVC_REVOCATION_CASCADE', rules.trueOrFalse) ?? false,
    passwordBlocklist: reader.value('SVC_PASSWORD_BLOCKLIST', rules.trueOrFalse) ?? true,
    signInTtlMs: reader.value('SVC_USER_SESSION_TTL_MS', rules.integer(1)) ?? DAY_MS,
    resetLinkTtlMs: reader.value('SVC_RESET_TOKEN_TTL_MS', rules.integer(1)) ?? 60 * 60 * 1000,
    loginLimit: {
      attempts: reader.value('SVC_LOGIN_RATE_LIMIT_ATTEMPTS', rules.integer(1)) ?? 5,
      windowMs: reader.value('SVC_LOGIN_RATE_LIMIT_WINDOW_MS', rules.integer(1)) ?? 5 * 60 * 1000,
    },
    accountLimit: reader.value('SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS', rules.integer(0)) ?? 100,
    resetLimit: {
      attempts: reader.value('SVC_RESET_RATE_LIMIT_ATTEMPTS', rules.integer(1)) ?? 3,
      windowMs: reader.value('SVC_RESET_RATE_LIMIT_WINDOW_MS', rules.integer(1)) ?? 15 * 60 * 1000,
    },
    mcpTokenTtl: reader.value('SVC_MCP_TOKEN_TTL_SEC', rules.integer(1, LONGEST_LIFE_SEC)) ?? 86_400,
    jwtIssuer: reader.value('SVC_JWT_ISSUER', rules.text) ?? 'svc',
    bcryptCost: reader.value('SVC_BCRYPT_COST', rules.integer(10, 15)) ?? 12,
    bootstrap: {
      email: reader.vital('SVC_BOOTSTRAP_ADMIN_EMAIL', rules.emailAddress) ?? null,
      password: reader.secret('SVC_BOOTSTRAP_ADMIN_PASSWORD', rules.firstPassword) ?? null,
      resetPassword: reader.value('SVC_BOOTSTRAP_RESET_PASSWORD', rules.trueOrFalse) ?? false,
    },
    maxSessions: reader.value('SVC_MAX_SESSIONS', rules.sessionLimit) ?? 0,
    queueSeconds: reader.value('SVC_QUEUE_SECONDS', rules.integer(0, MAX_QUEUE_SECONDS)) ?? 0,
    drivers: readDrivers(reader),
    probes: readProbes(reader),
    leasesPerAccount: reader.value('SVC_LEASES_PER_ACCOUNT', rules.integer(0)) ?? 8,
    spectators: reader.value('SVC_SPECTATORS', rules.oneOf(SPECTATOR_MODES)) ?? 'accounts',
    maxConnectionsPerAddress: reader.value('SVC_MAX_CONNECTIONS_PER_ADDRESS', rules.integer(0)) ?? 512,
    createMaxBytes: reader.value('SVC_CREATE_MAX_BYTES', rules.integer(1, 16 * MIB)) ?? 512 * KIB,
    eventLogRetentionDays: reader.value('SVC_EVENT_LOG_RETENTION_DAYS', rules.retentionDays) ?? 30,
    sessionRetentionDays: reader.value('SVC_SESSION_RETENTION_DAYS', rules.retentionDays) ?? 365,
    auditRetentionDays: reader.value('SVC_AUDIT_RETENTION_DAYS', rules.retentionDays) ?? 365,
    preview: reader.value('SVC_PREVIEW', rules.oneOf(['all', 'own'])) ?? 'all',
    clean: reader.value('SVC_CLEAN', rules.oneOf(CLEAN_MODES)) ?? 'off',
    recording: readRecording(reader),
    ai: readAi(reader),
    appMaxBytes: reader.value('SVC_APP_MAX_BYTES', rules.integer(1)) ?? 2 * GIB,
    appsMaxBytes: reader.value('SVC_APPS_MAX_BYTES', rules.integer(1)) ?? 20 * GIB,
    devices: reader.vital('SVC_DEVICES', deviceList) ?? [],
    ...readAdb(reader, sources),
    ios: readIos(reader, sources.env),
    webhookAllow: reader.value('SVC_WEBHOOK_ALLOW', rules.hostList) ?? [],
    nodeAllow: reader.value('SVC_NODE_ALLOW', rules.hostList) ?? [],
    workloadAllow: reader.value('SVC_WORKLOAD_ALLOW', rules.hostList) ?? [],
    node: readNode(reader),
    proxy: reader.secret('SVC_PROXY', proxyAddress) ?? reader.vital('SVC_PROXY', openProxyAddress) ?? null,
    nodeTlsCa: reader.vital('SVC_NODE_TLS_CA', rules.certificatesIn(sources.readFile)) ?? null,
  };
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

const DAY_SECONDS = 86_400;
const MONTH_MINUTES = 44_640;

function readPublicUrl(reader: Reader): Pick<Config, 'publicUrl' | 'isPublicUrlUnusable'> {
  const before = reader.warnings.length;
  const publicUrl = reader.value('SVC_PUBLIC_URL', rules.publicUrl) ?? null;
  return { publicUrl, isPublicUrlUnusable: reader.warnings.length > before };
}

function readDrivers(reader: Reader): Config['drivers'] {
  return {
    hostCapabilities: reader.value('SVC_HOST_CAPABILITIES', rules.capabilityNames) ?? [],
    startSeconds: reader.value('SVC_START_SECONDS', rules.integer(0, DAY_SECONDS)) ?? 600,
    maxIdleSeconds: reader.value('SVC_MAX_IDLE_SECONDS', rules.integer(0, DAY_SECONDS)) ?? 0,
    maxSessionMinutes: reader.value('SVC_MAX_SESSION_MINUTES', rules.integer(0, MONTH_MINUTES)) ?? 0,
    ports: reader.value('SVC_DRIVER_PORTS', rules.portRange) ?? { first: 20_000, last: 20_999 },
  };
}

function readProbes(reader: Reader): Config['probes'] {
  return {
    seconds: reader.value('SVC_PROBE_SECONDS', rules.integer(0, DAY_SECONDS)) ?? 60,
    minBattery: reader.value('SVC_MIN_BATTERY', rules.integer(0, 100)) ?? 15,
    maxTemperature: reader.value('SVC_MAX_TEMPERATURE', rules.integer(0, 200)) ?? 50,
  };
}

function readRecording(reader: Reader): Config['recording'] {
  return {
    mode: reader.value('SVC_RECORDING', rules.oneOf(RECORDING_MODES)) ?? 'off',
    maxBytes: reader.value('SVC_RECORDING_MAX_BYTES', rules.integer(1)) ?? 256 * MIB,
    allBytes: reader.value('SVC_RECORDINGS_MAX_BYTES', rules.integer(1)) ?? 20 * GIB,
    retentionDays: reader.value('SVC_RECORDING_RETENTION_DAYS', rules.retentionDays) ?? 14,
  };
}

function readAi(reader: Reader): Config['ai'] {
  const ai = {
    provider: reader.value('SVC_AI_PROVIDER', rules.oneOf(AI_PROVIDERS)) ?? null,
    model: reader.value('SVC_AI_MODEL', rules.aiModel) ?? null,
    baseUrl: reader.value('SVC_AI_BASE_URL', rules.httpBaseUrl) ?? null,
    apiKey: reader.minorSecret('SVC_AI_API_KEY', rules.headerSecret) ?? null,
  };
  // The key is never sent to an address that was saved over the API, only to an address from the environment. Warn if
  // the environment has no such address, because the key then has no effect.
  if (ai.apiKey !== null && ai.provider === null && ai.baseUrl === null) {
    reader.warnings.push(
      'SVC_AI_API_KEY is sent nowhere: neither SVC_AI_PROVIDER nor SVC_AI_BASE_URL is set',
    );
  }
  return ai;
}

/**
 * Reads `OTEL_TRACES_SAMPLER_ARG` only if `SVC_METRICS_ENDPOINT` is set, because the name is defined by OpenTelemetry
 * and may be set for other programs on the host.
 */
function readTelemetry(reader: Reader): Pick<Config['metrics'], 'endpoint' | 'traceRatio'> {
  const endpoint = reader.vital('SVC_METRICS_ENDPOINT', rules.httpBaseUrl) ?? null;
  if (endpoint === null) return { endpoint, traceRatio: 1 };
  return { endpoint, traceRatio: reader.vital('OTEL_TRACES_SAMPLER_ARG', rules.ratio) ?? 1 };
}

/** Reads the address of the adb server. If `SVC_ADB` is not set, an Admin can choose to use adb's usual address. */
function readAdb(reader: Reader, { env }: Sources): Pick<Config, 'adb' | 'offeredAdb' | 'adbRemote'> {
  const address = reader.vital('SVC_ADB', adbAddress);
  return {
    adb: address ?? null,
    offeredAdb: address === undefined ? usualAdbAddress(env) : null,
    adbRemote: reader.value('SVC_ADB_REMOTE', rules.oneOf(ADB_REMOTE_MODES)) ?? 'holders',
  };
}

function readNode(reader: Reader): Config['node'] {
  const hubUrl = reader.vital('SVC_HUB_URL', rules.serverUrl);
  if (hubUrl === undefined) return null;
  const accessKey = reader.vital('SVC_NODE_ACCESS_KEY', rules.text);
  const token = reader.secret('SVC_NODE_TOKEN', rules.text);
  const url = reader.vital('SVC_NODE_URL', rules.serverUrl);
  if (accessKey === undefined || token === undefined || url === undefined) {
    throw new ConfigError('SVC_HUB_URL also needs SVC_NODE_ACCESS_KEY, SVC_NODE_TOKEN and SVC_NODE_URL');
  }
  return { hubUrl, accessKey, token, url };
}
