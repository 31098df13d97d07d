import { DEFAULT_ADMIN_EMAIL } from '@svc/contract';
import { AllowedOrigins } from '../policy/same-origin.ts';
import { type Config, LOG_LEVELS } from './config.ts';
import * as rules from './rules.ts';
import { type Rule, Unusable } from './rules.ts';

/** Text values by name: the environment, or plugin options in camel case. */
export type Values = Readonly<Record<string, unknown>>;

/** What reading needs from outside. */
export interface Sources {
  readonly env: Values;
  /** Plugin options (contract 5): those that hold no secret; the variable wins. */
  readonly options?: Values | undefined;
  readonly homeDir: string;
  /** Reads the file a `<NAME>_FILE` variable names. */
  readonly readFile: (path: string) => string;
  readonly resolvePath: (...parts: string[]) => string;
}

/** A value that cannot be used where the default would be unsafe; stops the start. */
export class ConfigError extends Error {}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A hundred years: beyond, moments no longer fit a date. */
const LONGEST_LIFE_SEC = 100 * 365 * 24 * 60 * 60;

/** Reads everything once (contract 5). Warnings name variables and rules, never values. */
export function readConfig(sources: Sources): { config: Config; warnings: string[] } {
  const reader = new Reader(sources);
  const dataDir = sources.resolvePath(
    reader.value('SVC_DATA_DIR', rules.text) ?? `${sources.homeDir}/.cache/svc`,
  );
  const config: Config = {
    dataDir,
    databaseFile: sources.resolvePath(
      reader.vital('SVC_DATABASE_URL', rules.databaseUrl) ?? `${dataDir}/svc.db`,
    ),
    autoMigrate: reader.value('SVC_AUTO_MIGRATE', rules.trueOrFalse) ?? true,
    logLevel: reader.value('SVC_LOG_LEVEL', rules.oneOf(LOG_LEVELS)) ?? 'info',
    authDisabled: reader.either('SVC_AUTH_DISABLED', rules.trueOrFalse),
    requireSessionToken: reader.value('SVC_REQUIRE_SESSION_TOKEN', rules.truthySwitch) ?? false,
    requireCommandAuth: reader.value('SVC_REQUIRE_COMMAND_AUTH', rules.truthySwitch) ?? false,
    commandAuthReportOnly: reader.value('SVC_COMMAND_AUTH_REPORT_ONLY', rules.trueOrFalse) ?? false,
    allowedOrigins: reader.value('SVC_ALLOWED_ORIGINS', rules.origins) ?? AllowedOrigins.none(),
    trustedProxies: reader.vital('SVC_TRUSTED_PROXIES', rules.addressList) ?? [],
    publicUrl: reader.value('SVC_PUBLIC_URL', rules.publicUrl) ?? null,
    mail: {
      smtpUrl: reader.minorSecret('SVC_SMTP_URL', rules.smtpUrl) ?? null,
      from: reader.value('SVC_MAIL_FROM', rules.text) ?? 'svc <no-reply@svc.local>',
    },
    passwordResetLogFallback: reader.value('SVC_PASSWORD_RESET_LOG_FALLBACK', rules.trueOrFalse) ?? false,
    passwordBlocklist: reader.value('SVC_PASSWORD_BLOCKLIST', rules.trueOrFalse) ?? true,
    signInTtlMs: reader.value('SVC_USER_SESSION_TTL_MS', rules.integer(1)) ?? DAY_MS,
    resetLinkTtlMs: reader.value('SVC_RESET_TOKEN_TTL_MS', rules.integer(1)) ?? 60 * 60 * 1000,
    loginLimit: {
      attempts: reader.value('SVC_LOGIN_RATE_LIMIT_ATTEMPTS', rules.integer(1)) ?? 5,
      windowMs: reader.value('SVC_LOGIN_RATE_LIMIT_WINDOW_MS', rules.integer(1)) ?? 5 * 60 * 1000,
    },
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
    eventLogRetentionDays: reader.value('SVC_EVENT_LOG_RETENTION_DAYS', rules.integer(1)) ?? 30,
    virtualDevices: readVirtualDevices(reader),
    node: readNode(reader),
  };
  if (config.bootstrap.password !== null && config.bootstrap.email === null) {
    reader.warnings.push(`SVC_BOOTSTRAP_ADMIN_EMAIL is not set; the first account is ${DEFAULT_ADMIN_EMAIL}`);
  }
  return { config, warnings: reader.warnings };
}

function readNode(reader: Reader): Config['node'] {
  const hubUrl = reader.vital('SVC_HUB_URL', rules.serverUrl);
  if (hubUrl === undefined) return null;
  const accessKey = reader.vital('SVC_NODE_ACCESS_KEY', rules.text);
  const token = reader.secret('SVC_NODE_TOKEN', rules.text);
  const url = reader.vital('SVC_NODE_URL', rules.serverUrl);
  if (accessKey === undefined || token === undefined || url === undefined) {
    throw new ConfigError('SVC_HUB_URL needs SVC_NODE_ACCESS_KEY, SVC_NODE_TOKEN and SVC_NODE_URL beside it');
  }
  return { hubUrl, accessKey, token, url };
}

function readVirtualDevices(reader: Reader): Config['virtualDevices'] {
  const count = reader.value('SVC_VIRTUAL_DEVICES', rules.integer(0, 1000)) ?? 0;
  const app = reader.value('SVC_VIRTUAL_DEVICE_APP', rules.text);
  const prefix = reader.value('SVC_VIRTUAL_DEVICE_PREFIX', rules.text) ?? 'virtual';
  return app === undefined ? null : { count, prefix, app };
}

class Reader {
  readonly warnings: string[] = [];
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** An unusable value gives one warning and the default. */
  value<T>(name: string, rule: Rule<T>): T | undefined {
    return this.#orDefault(() => this.vital(name, rule));
  }

  /** As `secret`, for one whose absence is safe. */
  minorSecret<T>(name: string, rule: Rule<T>): T | undefined {
    return this.#orDefault(() => this.secret(name, rule));
  }

  #orDefault<T>(read: () => T | undefined): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.warnings.push(`${error.message}; using the default`);
      return undefined;
    }
  }

  /** An unusable value stops the start. */
  vital<T>(name: string, rule: Rule<T>): T | undefined {
    const given = this.#given(name);
    return given === undefined ? undefined : apply(name, given, rule);
  }

  #given(name: string): string | undefined {
    return textOf(this.#sources.env[name]) ?? textOf(this.#sources.options?.[optionName(name)]);
  }

  /** The variable or the option turns it on; either is enough (specification 5.12). */
  either(name: string, rule: Rule<boolean>): boolean {
    const given = [this.#sources.env[name], this.#sources.options?.[optionName(name)]].map(textOf);
    return given.some(
      (text) => text !== undefined && this.#orDefault(() => apply(name, text, rule)) === true,
    );
  }

  /** From `<NAME>` or the file `<NAME>_FILE`, never from a plugin option; unusable stops the start. */
  secret<T>(name: string, rule: Rule<T>): T | undefined {
    const direct = textOf(this.#sources.env[name]);
    if (direct !== undefined) return apply(name, direct, rule);
    const path = textOf(this.#sources.env[`${name}_FILE`]);
    if (path === undefined) return undefined;
    let content: string;
    try {
      content = this.#sources.readFile(path);
    } catch {
      throw new ConfigError(`${name}_FILE names a file that cannot be read`);
    }
    return apply(`${name}_FILE`, content.replace(/\r?\n$/, ''), rule);
  }
}

function apply<T>(name: string, given: string, rule: Rule<T>): T {
  try {
    return rule(given);
  } catch (error) {
    if (error instanceof Unusable) throw new ConfigError(`${name} ${error.message}`);
    throw error;
  }
}

/** An empty variable is an unset one, as in `docker compose` files. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** `SVC_MAX_SESSIONS` as a plugin option is `maxSessions`. */
export function optionName(variable: string): string {
  return variable
    .replace(/^SVC_/, '')
    .toLowerCase()
    .replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
