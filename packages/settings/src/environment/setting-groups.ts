import { ADB_REMOTE_MODES, AI_PROVIDERS, RECORDING_MODES } from '@svc/contract';
import { adbAddress, usualAdbAddress } from './adb-server.ts';
import * as addresses from './address-rules.ts';
import { ConfigError } from './config-error.ts';
import type { Reader, Sources } from './reader.ts';
import * as rules from './rules.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const DAY_SECONDS = 86_400;
const MONTH_MINUTES = 44_640;

export function readPublicUrl(reader: Reader) {
  const before = reader.warnings.length;
  const publicUrl = reader.value('SVC_PUBLIC_URL', addresses.publicUrl) ?? null;
  return { publicUrl, isPublicUrlUnusable: reader.warnings.length > before };
}

export function readDrivers(reader: Reader) {
  return {
    /** Names, without prefix, of the capabilities that clients may set although the lab usually decides on them. */
    hostCapabilities: reader.value('SVC_HOST_CAPABILITIES', rules.capabilityNames) ?? [],
    /** Seconds within which a driver must start; 0 means no limit. */
    startSeconds: reader.value('SVC_START_SECONDS', rules.integer(0, DAY_SECONDS)) ?? 600,
    /** Maximum of `newCommandTimeout` in seconds; 0 means no limit. */
    maxIdleSeconds: reader.value('SVC_MAX_IDLE_SECONDS', rules.integer(0, DAY_SECONDS)) ?? 0,
    /** Minutes after which a session is ended; 0 means no limit. */
    maxSessionMinutes: reader.value('SVC_MAX_SESSION_MINUTES', rules.integer(0, MONTH_MINUTES)) ?? 0,
    /** Ports of this host that the lab gives to drivers, both ends included. */
    ports: reader.value('SVC_DRIVER_PORTS', rules.portRange) ?? { first: 20_000, last: 20_999 },
  };
}

export function readProbes(reader: Reader) {
  return {
    /** Seconds between two probes of a phone; 0 means that phones are not probed. */
    seconds: reader.value('SVC_PROBE_SECONDS', rules.integer(0, DAY_SECONDS)) ?? 60,
    /** Percentage of the battery below which a phone that does not charge goes out of service. */
    minBattery: reader.value('SVC_MIN_BATTERY', rules.integer(0, 100)) ?? 15,
    /** Temperature of the battery in °C above which a phone goes out of service. */
    maxTemperature: reader.value('SVC_MAX_TEMPERATURE', rules.integer(0, 200)) ?? 50,
  };
}

export function readRecording(reader: Reader) {
  return {
    /** Recording mode at start. The API can change the mode unless it is `disabled`. */
    mode: reader.value('SVC_RECORDING', rules.oneOf(RECORDING_MODES)) ?? 'off',
    /** Maximum total size of the recorded pictures of one session, in bytes. */
    maxBytes: reader.value('SVC_RECORDING_MAX_BYTES', rules.integer(1)) ?? 256 * MIB,
    /** Maximum total size of all recordings, in bytes. */
    allBytes: reader.value('SVC_RECORDINGS_MAX_BYTES', rules.integer(1)) ?? 20 * GIB,
    retentionDays: reader.value('SVC_RECORDING_RETENTION_DAYS', rules.retentionDays) ?? 14,
  };
}

export function readAi(reader: Reader) {
  const ai = {
    provider: reader.value('SVC_AI_PROVIDER', rules.oneOf(AI_PROVIDERS)) ?? null,
    model: reader.value('SVC_AI_MODEL', rules.aiModel) ?? null,
    /** Base URL of the provider's API, or null to use the default address of the provider. */
    baseUrl: reader.value('SVC_AI_BASE_URL', addresses.httpBaseUrl) ?? null,
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
export function readTelemetry(reader: Reader) {
  const endpoint = reader.vital('SVC_METRICS_ENDPOINT', addresses.httpBaseUrl) ?? null;
  if (endpoint === null) return { endpoint, traceRatio: 1 };
  return { endpoint, traceRatio: reader.vital('OTEL_TRACES_SAMPLER_ARG', rules.ratio) ?? 1 };
}

/** Reads the address of the adb server. If `SVC_ADB` is not set, an Admin can choose to use adb's usual address. */
export function readAdb(reader: Reader, { env }: Sources) {
  const address = reader.vital('SVC_ADB', adbAddress);
  return {
    /** Address of the adb server whose phones the lab offers, or null to use no adb server. */
    adb: address ?? null,
    /**
     * Address of the adb server whose phones an Admin can add to the lab while svc runs. Null if `SVC_ADB` is set: an
     * Admin can then not change whether adb is used.
     */
    offeredAdb: address === undefined ? usualAdbAddress(env) : null,
    /** Who may use adb on a phone from elsewhere: no one, or the holders of phones (contract 16). */
    adbRemote: reader.value('SVC_ADB_REMOTE', rules.oneOf(ADB_REMOTE_MODES)) ?? 'holders',
  };
}

export function readNode(reader: Reader) {
  const hubUrl = reader.vital('SVC_HUB_URL', addresses.serverUrl);
  if (hubUrl === undefined) return null;
  const accessKey = reader.vital('SVC_NODE_ACCESS_KEY', rules.text);
  const token = reader.secret('SVC_NODE_TOKEN', rules.text);
  const url = reader.vital('SVC_NODE_URL', addresses.serverUrl);
  if (accessKey === undefined || token === undefined || url === undefined) {
    throw new ConfigError('SVC_HUB_URL also needs SVC_NODE_ACCESS_KEY, SVC_NODE_TOKEN and SVC_NODE_URL');
  }
  return { hubUrl, accessKey, token, url };
}
