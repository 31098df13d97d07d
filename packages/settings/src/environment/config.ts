import type { AllowedOrigins, AttemptLimit } from '@svc/auth-core';
import type { AiProvider, RecordingMode } from '@svc/contract';
import type { ConfiguredDevice } from './device-list.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where this server sends mail and what links in it point at (specification 5.10). */
export interface MailConfig {
  readonly smtpUrl: string | null;
  readonly from: string;
}

/** The AI provider; all but the key can be replaced over the API (specification 9.2). */
interface AiConfig {
  readonly provider: AiProvider | null;
  readonly model: string | null;
  /** Null: the address the provider is known by. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

/** Backups of the data folder. */
interface BackupConfig {
  /** Absolute path. */
  readonly dir: string;
  /** 0: none is made by itself but before an upgrade. */
  readonly intervalHours: number;
  /** How many of those made by themselves are kept. */
  readonly keep: number;
  /** Whether those of the schedule hold the app library. */
  readonly apps: boolean;
  /** Whether those of the schedule hold the recordings. */
  readonly recordings: boolean;
}

/** Recordings of sessions (contract 11). */
interface RecordingConfig {
  /** Can be replaced over the API unless it is `disabled`. */
  readonly mode: RecordingMode;
  /** Bytes of the pictures of one session. */
  readonly maxBytes: number;
  /** Bytes of all recordings. */
  readonly allBytes: number;
  readonly retentionDays: number;
}

/** An HTTP proxy. */
export interface ProxyAddress {
  /** As it was given, with its user and password. */
  readonly url: string;
  /** It is spoken to by TLS. */
  readonly isSecure: boolean;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of `Proxy-Authorization`, a secret; null: it asks for none. */
  readonly authorization: string | null;
}

/** Everything read once at start; nothing else looks at the environment (contract 5). */
export interface Config {
  readonly dataDir: string;
  /** Absolute path of the database file. */
  readonly databaseFile: string;
  readonly autoMigrate: boolean;
  readonly backup: BackupConfig;
  readonly metrics: {
    /** A bearer that reads the metrics and nothing else; null: Admins alone do. */
    readonly scrapeToken: string | null;
    /** Where metrics and traces are sent, without a trailing slash; null: nowhere. */
    readonly endpoint: string | null;
    /** Share of traces that begin here and are recorded, 0 to 1. */
    readonly traceRatio: number;
  };
  readonly logLevel: LogLevel;
  readonly authDisabled: boolean;
  readonly requireSessionToken: boolean;
  readonly requireCommandAuth: boolean;
  readonly commandAuthReportOnly: boolean;
  readonly allowedOrigins: AllowedOrigins;
  /** Addresses or CIDR ranges; empty: the specification's rule for the client address (5.9.3). */
  readonly trustedProxies: readonly string[];
  /** Origin and, possibly, the dashboard path; no trailing slash. Null: unset or ignored (5.10.3). */
  readonly publicUrl: string | null;
  readonly mail: MailConfig;
  readonly passwordResetLogFallback: boolean;
  readonly passwordBlocklist: boolean;
  readonly signInTtlMs: number;
  readonly resetLinkTtlMs: number;
  readonly loginLimit: AttemptLimit;
  /** Failed sign-ins an account bears in the window of `loginLimit`; 0: any number (contract 4). */
  readonly accountLimit: number;
  readonly resetLimit: AttemptLimit;
  /** Seconds. */
  readonly mcpTokenTtl: number;
  readonly jwtIssuer: string;
  readonly bcryptCost: number;
  readonly bootstrap: {
    readonly email: string | null;
    readonly password: string | null;
    readonly resetPassword: boolean;
  };
  /** Running or starting sessions at once; 0: no limit (specification 8.2). */
  readonly maxSessions: number;
  /** Open connections of one address, trusted proxies excepted; 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Bytes of one session create. */
  readonly createMaxBytes: number;
  /** Bytes of one app of the library. */
  readonly appMaxBytes: number;
  /** Bytes of all apps of the library. */
  readonly appsMaxBytes: number;
  readonly eventLogRetentionDays: number;
  readonly sessionRetentionDays: number;
  readonly auditRetentionDays: number;
  readonly recording: RecordingConfig;
  readonly ai: AiConfig;
  /** Phones the operator names. */
  readonly devices: readonly ConfiguredDevice[];
  /** The adb server whose phones are the lab's; null: none is asked. */
  readonly adb: { readonly host: string; readonly port: number } | null;
  /** Host names, addresses and CIDR ranges that webhooks may reach though they are not allowed by default. */
  readonly webhookAllow: readonly string[];
  /** Host names, addresses and CIDR ranges that nodes of this hub may have though they are not allowed by default. */
  readonly nodeAllow: readonly string[];
  readonly node: {
    readonly hubUrl: string;
    readonly accessKey: string;
    readonly token: string;
    readonly url: string;
  } | null;
  /** Between this server and every other one; null: none. */
  readonly proxy: ProxyAddress | null;
  /** Certificate authorities trusted between hub and nodes instead of the system's, PEM; null: the system's. */
  readonly nodeTlsCa: string | null;
}
