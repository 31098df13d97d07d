import type { AllowedOrigins, AttemptLimit } from '@svc/auth-core';
import type { ADB_REMOTE_MODES, AiProvider, CleanMode, RecordingMode, SpectatorMode } from '@svc/contract';
import type { ServerAddress } from './adb-server.ts';
import type { ConfiguredDevice } from './device-list.ts';
import type { GivenSetting } from './given-settings.ts';
import type { IosConfig } from './ios-phones.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** SMTP server and sender address of the mail that this server sends (specification 5.10). */
export interface MailConfig {
  readonly smtpUrl: string | null;
  readonly from: string;
}

/** AI provider as configured at start. The API can replace each of these values except the key (specification 9.2). */
interface AiConfig {
  readonly provider: AiProvider | null;
  readonly model: string | null;
  /** Base URL of the provider's API, or null to use the default address of the provider. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

/** Settings for backups of the data folder. */
interface BackupConfig {
  /** Absolute path of the folder that backups are written to. */
  readonly dir: string;
  /** Hours between scheduled backups. With 0, no backup is made automatically except before an upgrade. */
  readonly intervalHours: number;
  /** Maximum number of automatic backups to keep. */
  readonly keep: number;
  /** Whether scheduled backups include the app library. */
  readonly apps: boolean;
  /** Whether scheduled backups include the recordings. */
  readonly recordings: boolean;
}

/** Settings for recordings of sessions (contract 11). */
interface RecordingConfig {
  /** Recording mode at start. The API can change the mode unless it is `disabled`. */
  readonly mode: RecordingMode;
  /** Maximum total size of the recorded pictures of one session, in bytes. */
  readonly maxBytes: number;
  /** Maximum total size of all recordings, in bytes. */
  readonly allBytes: number;
  readonly retentionDays: number;
}

/** Settings for the drivers of this host (contract 14). */
interface DriversConfig {
  /** Names, without prefix, of the capabilities that clients may set although the lab usually decides on them. */
  readonly hostCapabilities: readonly string[];
  /** Seconds within which a driver must start; 0 means no limit. */
  readonly startSeconds: number;
  /** Maximum of `newCommandTimeout` in seconds; 0 means no limit. */
  readonly maxIdleSeconds: number;
  /** Minutes after which a session is ended; 0 means no limit. */
  readonly maxSessionMinutes: number;
  /** Ports of this host that the lab gives to drivers, both ends included. */
  readonly ports: { readonly first: number; readonly last: number };
}

/** Settings for probes of phones (contract 17.2). */
interface ProbesConfig {
  /** Seconds between two probes of a phone; 0 means that phones are not probed. */
  readonly seconds: number;
  /** Percentage of the battery below which a phone that does not charge goes out of service. */
  readonly minBattery: number;
  /** Temperature of the battery in °C above which a phone goes out of service. */
  readonly maxTemperature: number;
}

/** Settings for sign-in through an OpenID Connect provider (contract 10.1). */
export interface OidcConfig {
  /** Issuer, exactly as configured, because the provider's documents and tokens must contain the same text. */
  readonly issuer: string;
  readonly clientId: string;
  /** Secret of the client, or null for a public client, which proves itself with PKCE alone. */
  readonly clientSecret: string | null;
  /** Name of the provider, shown on the sign-in page. */
  readonly name: string;
  /** Scopes to request, separated by spaces. */
  readonly scopes: string;
  /** Name of the claim that holds a person's groups, or a path of names separated by dots. */
  readonly groupsClaim: string;
  /** Role that each group gives. Null if roles are managed in the lab. Empty if the setting has no usable entry. */
  readonly roles: readonly { readonly group: string; readonly role: 'Member' | 'Admin' }[] | null;
  /** For each mapped group, the name of the team that its members get, or null if teams are managed in the lab. */
  readonly teams: readonly { readonly group: string; readonly team: string }[] | null;
  /**
   * Whether the server creates an account for a new person: never (`off`), or if one of their groups is mapped to a
   * role or team (`mapped`).
   */
  readonly signUp: 'off' | 'mapped';
  /**
   * What links a person at the provider to the account with the same e-mail address: the person signs in with the
   * password of the account once, or the provider has verified the address.
   */
  readonly link: 'password' | 'verified-email';
}

/** Address of an HTTP proxy. */
export interface ProxyAddress {
  /** Complete URL of the proxy, including user and password, which are secret. */
  readonly url: string;
  /** Whether the connection to the proxy uses TLS. */
  readonly isSecure: boolean;
  /** Host name or IP address; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of the `Proxy-Authorization` header, which is a secret, or null if the URL has no user and password. */
  readonly authorization: string | null;
}

/** Settings of the service, read once at start from the environment and the plugin options (contract 5). */
export interface Config {
  /** Settings that are set in the environment or in plugin options. None of them holds a secret. */
  readonly given: readonly GivenSetting[];
  readonly dataDir: string;
  /** Absolute path of the database file. */
  readonly databaseFile: string;
  readonly autoMigrate: boolean;
  readonly backup: BackupConfig;
  readonly metrics: {
    /** Bearer token that can read the metrics and nothing else, or null if only Admins can read the metrics. */
    readonly scrapeToken: string | null;
    /** Base URL that metrics and traces are sent to, without a trailing slash, or null to send none. */
    readonly endpoint: string | null;
    /** Fraction of the traces to record, from 0 (none) to 1 (all). Applies only to traces that begin at this server. */
    readonly traceRatio: number;
  };
  readonly logLevel: LogLevel;
  readonly authDisabled: boolean;
  readonly requireSessionToken: boolean;
  readonly requireCommandAuth: boolean;
  readonly commandAuthReportOnly: boolean;
  readonly allowedOrigins: AllowedOrigins;
  /**
   * Addresses or CIDR ranges of trusted proxies. If empty, the client address is the first value of `X-Forwarded-For`,
   * or the address of the socket if there is no such header (5.9.3).
   */
  readonly trustedProxies: readonly string[];
  /**
   * Origin of this server for links, without a trailing slash. Null if `SVC_PUBLIC_URL` is not set or not usable
   * (5.10.3).
   */
  readonly publicUrl: string | null;
  /** Whether `SVC_PUBLIC_URL` is set to a value that cannot be used. */
  readonly isPublicUrlUnusable: boolean;
  readonly mail: MailConfig;
  readonly passwordResetLogFallback: boolean;
  /** Which accounts can sign in with a password: all (`on`), or only Super admins (`break-glass`) (contract 10.1). */
  readonly passwordSignIn: 'on' | 'break-glass';
  readonly oidc: OidcConfig | null;
  readonly passwordBlocklist: boolean;
  /**
   * Whether revoking a token or key also ends the bearer and session tokens that were minted from it (contract 10.4).
   */
  readonly revocationCascade: boolean;
  readonly signInTtlMs: number;
  readonly resetLinkTtlMs: number;
  readonly loginLimit: AttemptLimit;
  /**
   * Maximum number of failed sign-ins to one account per window of `loginLimit`; 0 means unlimited. After that, client
   * addresses that have not signed in to the account before are refused (contract 4).
   */
  readonly accountLimit: number;
  readonly resetLimit: AttemptLimit;
  /** Lifetime of an MCP token, in seconds. */
  readonly mcpTokenTtl: number;
  readonly jwtIssuer: string;
  readonly bcryptCost: number;
  readonly bootstrap: {
    readonly email: string | null;
    readonly password: string | null;
    readonly resetPassword: boolean;
  };
  /** Maximum number of running and starting sessions; 0 means no limit (specification 8.2). */
  readonly maxSessions: number;
  /**
   * Seconds for which a create-session request waits for a free phone, unless its capabilities specify another time
   * (contract 13).
   */
  readonly queueSeconds: number;
  /** What clients and the lab decide about where the drivers of this host run (contract 14). */
  readonly drivers: DriversConfig;
  readonly probes: ProbesConfig;
  /** Maximum number of leases that one account holds at the same time; 0 means no limit (contract 4). */
  readonly leasesPerAccount: number;
  /** Who may watch the screen of a phone through a link of its holder. */
  readonly spectators: SpectatorMode;
  /** Maximum number of open connections per client address, except trusted proxies; 0 means no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Maximum size of the body of a create-session request, in bytes. */
  readonly createMaxBytes: number;
  /** Maximum size of one app in the library, in bytes. */
  readonly appMaxBytes: number;
  /** Maximum total size of all apps in the library, in bytes. */
  readonly appsMaxBytes: number;
  readonly eventLogRetentionDays: number;
  readonly sessionRetentionDays: number;
  readonly auditRetentionDays: number;
  /** Who sees the picture of a phone on which a session runs: everyone who sees the phone, or who may drive it. */
  readonly preview: 'all' | 'own';
  /** What is removed from an adb phone between two holders (contract 17.3). */
  readonly clean: CleanMode;
  readonly recording: RecordingConfig;
  readonly ai: AiConfig;
  /** Phones that the operator lists in `SVC_DEVICES`. */
  readonly devices: readonly ConfiguredDevice[];
  /** Address of the adb server whose phones the lab offers, or null to use no adb server. */
  readonly adb: ServerAddress | null;
  /**
   * Address of the adb server whose phones an Admin can add to the lab while svc runs. Null if `SVC_ADB` is set: an
   * Admin can then not change whether adb is used.
   */
  readonly offeredAdb: ServerAddress | null;
  /** Who may use adb on a phone from elsewhere: no one, or the holders of phones (contract 16). */
  readonly adbRemote: (typeof ADB_REMOTE_MODES)[number];
  /** The iOS phones that are plugged into the host. */
  readonly ios: IosConfig;
  /**
   * Host names, addresses and CIDR ranges to which webhooks are allowed to send requests, in addition to the addresses
   * allowed by default.
   */
  readonly webhookAllow: readonly string[];
  /**
   * Host names, addresses and CIDR ranges that are allowed for nodes of this hub, in addition to the addresses allowed
   * by default.
   */
  readonly nodeAllow: readonly string[];
  /**
   * Hosts, addresses and CIDR ranges at which the issuers of CI jobs are reached, in addition to those that are always
   * allowed.
   */
  readonly workloadAllow: readonly string[];
  readonly node: {
    readonly hubUrl: string;
    readonly accessKey: string;
    readonly token: string;
    readonly url: string;
  } | null;
  /** HTTP proxy for connections to other servers, or null to connect directly. */
  readonly proxy: ProxyAddress | null;
  /** Certificate authorities (PEM) that hub and nodes trust instead of the system's, or null to trust the system's. */
  readonly nodeTlsCa: string | null;
}
