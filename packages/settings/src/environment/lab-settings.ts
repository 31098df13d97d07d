import { Reader, type Sources } from './reader.ts';
import * as rules from './rules.ts';

/** Settings of the local lab, in addition to the settings of the service (contract 9). */
export interface LabSettings {
  /** TCP port to listen on; 0 means any free port. */
  readonly port: number;
  readonly host: string;
  /** Appium's base path: empty, or a leading slash and no trailing one. */
  readonly basePath: string;
  readonly devices: number;
  readonly devicePrefix: string;
  readonly sessionDiscovery: boolean;
  readonly logLevel: LabLogLevel;
}

const LAB_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LabLogLevel = (typeof LAB_LOG_LEVELS)[number];

const MOST_DEVICES = 1000;
const HIGHEST_PORT = 65_535;

/**
 * Variables that only the local lab reads. Other servers must not report them as unknown variables.
 */
export const LAB_VARIABLES: readonly string[] = [
  'SVC_BASE_PATH',
  'SVC_LAB_DEVICES',
  'SVC_LAB_DEVICE_PREFIX',
  'SVC_LAB_SESSION_DISCOVERY',
  'SVC_LAB_LOG_LEVEL',
];

/** Reads `PORT` and `HOST` for a server that opens its own port. An unusable port stops the start. */
export function readListen(reader: Reader): { readonly port: number; readonly host: string } {
  return {
    port: reader.vital('PORT', rules.integer(0, HIGHEST_PORT)) ?? 4723,
    host: reader.value('HOST', rules.text) ?? '127.0.0.1',
  };
}

/** Reads the settings of the local lab. Called once at start. */
export function readLabSettings(sources: Sources): { settings: LabSettings; warnings: string[] } {
  const reader = new Reader(sources);
  const settings: LabSettings = {
    ...readListen(reader),
    basePath: reader.value('SVC_BASE_PATH', rules.basePath) ?? '',
    devices: reader.value('SVC_LAB_DEVICES', rules.integer(0, MOST_DEVICES)) ?? 4,
    devicePrefix: reader.value('SVC_LAB_DEVICE_PREFIX', rules.text) ?? 'virtual',
    sessionDiscovery: reader.value('SVC_LAB_SESSION_DISCOVERY', rules.trueOrFalse) ?? false,
    logLevel: reader.value('SVC_LAB_LOG_LEVEL', rules.oneOf(LAB_LOG_LEVELS)) ?? 'info',
  };
  return { settings, warnings: reader.warnings };
}
