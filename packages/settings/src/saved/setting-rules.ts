import { AI_PROVIDERS, type AiProvider, RECORDING_MODES, type RecordingMode } from '@svc/contract';
import * as rules from '../environment/rules.ts';

/** What a running server can be told over the API (contract 2, `/config`), by its name on the wire. */
export interface SettingValues {
  /** Running or starting sessions at once; below 1: no limit (specification 8.2). */
  readonly maxSessions: number;
  readonly eventLogRetentionDays: number;
  readonly sessionRetentionDays: number;
  readonly auditRetentionDays: number;
  readonly recording: RecordingMode;
  readonly aiProvider: AiProvider | null;
  readonly aiModel: string | null;
  readonly aiBaseUrl: string | null;
}

export type SettingName = keyof SettingValues;

/** A JSON value as it counts; throws `Unusable` for one that cannot work. `startUp`: what would count without it. */
type SettingRule<T> = (value: unknown, startUp: T) => T;

const retentionDays: SettingRule<number> = (value) => wholeNumber(value, 1, rules.LONGEST_RETENTION_DAYS);

/**
 * The trail can be kept for longer than at start, never for less: whoever gets hold of a Super admin's sign-in could
 * have what they did removed.
 */
const auditRetentionDays: SettingRule<number> = (value, startUp) =>
  wholeNumber(value, startUp, rules.LONGEST_RETENTION_DAYS);

/** The host can rule recordings out for good (contract 11). */
const recording: SettingRule<RecordingMode> = (value, startUp) => {
  if (startUp === 'disabled') throw new rules.Unusable('cannot be changed: SVC_RECORDING is disabled');
  return rules.oneOf(RECORDING_MODES)(textOf(value));
};

/** One rule for each setting, in the order they are told. */
export const SETTING_RULES: { readonly [Name in SettingName]: SettingRule<SettingValues[Name]> } = {
  maxSessions: (value) => wholeNumber(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  eventLogRetentionDays: retentionDays,
  sessionRetentionDays: retentionDays,
  auditRetentionDays,
  recording,
  aiProvider: (value) => rules.oneOf(AI_PROVIDERS)(textOf(value)),
  aiModel: (value) => rules.aiModel(textOf(value)),
  aiBaseUrl: (value) => rules.httpBaseUrl(textOf(value)),
};

export const SETTING_NAMES = Object.keys(SETTING_RULES) as readonly SettingName[];

function wholeNumber(value: unknown, least: number, most: number): number {
  if (!Number.isSafeInteger(value)) throw new rules.Unusable('is not a whole number');
  const number = value as number;
  if (number < least || number > most)
    throw new rules.Unusable(`is not a whole number of ${least} to ${most}`);
  return number;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new rules.Unusable('is not a text');
  return value;
}
