/** What the lab itself reads (contract 9); everything else is the plugin's to read. */
export interface Settings {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  /** Appium's base path: empty, or a leading slash and no trailing one. */
  readonly basePath: string;
  readonly devices: number;
  readonly devicePrefix: string;
  readonly sessionDiscovery: boolean;
  readonly logLevel: LogLevel;
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** A value the lab cannot start with; the message is for a person. */
export class UnusableSetting extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

const MOST_DEVICES = 1000;

/** An unusable value gives one warning and the default; an unusable port stops the start. */
export function readSettings(env: Environment): { settings: Settings; warnings: string[] } {
  const warnings: string[] = [];
  const withDefault = <T>(
    name: string,
    fallback: T,
    read: (text: string) => T | undefined,
    is: string,
  ): T => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = read(text);
    if (value === undefined) warnings.push(`${name} ${is}; using ${fallback}`);
    return value ?? fallback;
  };
  const settings: Settings = {
    port: portOf(env.PORT),
    host: env.HOST?.trim() || '127.0.0.1',
    basePath: basePathOf(env.SVC_BASE_PATH),
    devices: withDefault(
      'SVC_LAB_DEVICES',
      4,
      (text) => wholeNumber(text, MOST_DEVICES),
      `is not a whole number of 0 to ${MOST_DEVICES}`,
    ),
    devicePrefix: env.SVC_LAB_DEVICE_PREFIX?.trim() || 'virtual',
    sessionDiscovery: env.SVC_LAB_SESSION_DISCOVERY === 'true',
    logLevel: withDefault<LogLevel>(
      'SVC_LAB_LOG_LEVEL',
      'info',
      (text) => LOG_LEVELS.find((level) => level === text.toLowerCase()),
      `is none of ${LOG_LEVELS.join(', ')}`,
    ),
  };
  return { settings, warnings };
}

function portOf(text: string | undefined): number {
  if (text === undefined || text.trim() === '') return 4723;
  const port = wholeNumber(text.trim(), 65_535);
  if (port === undefined) throw new UnusableSetting('PORT is not a whole number of 0 to 65535');
  return port;
}

function basePathOf(text: string | undefined): string {
  const path = text?.trim().replace(/\/+$/, '') ?? '';
  return path === '' || path.startsWith('/') ? path : `/${path}`;
}

function wholeNumber(text: string, most: number): number | undefined {
  return /^\d{1,6}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}
