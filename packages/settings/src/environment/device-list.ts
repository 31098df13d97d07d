import { DEVICE_KINDS, type DeviceKind, isRecord } from '@svc/contract';
import { type Rule, ruled, Unusable } from './rules.ts';

/** Phone that the operator lists in `SVC_DEVICES`. */
export interface ConfiguredDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** HTTP address of the phone's MJPEG stream, or null if it has none. */
  readonly mjpegUrl: string | null;
  /** WebSocket address of the phone's H.264 stream, or null if it has none. */
  readonly h264Url: string | null;
  /**
   * Whether the phone is connected to the adb server. If so, its log lines come from adb. If `SVC_ADB` is set, adb also
   * reports whether the phone is available.
   */
  readonly adb: boolean;
  /**
   * Address of the WebDriverAgent of an Apple phone, without a slash at its end, or null if it has none. It is a secret
   * of the lab, because it gives control of the phone (contract 14.6).
   */
  readonly wdaUrl: string | null;
  /** Facts about the phone by which a session can choose it (contract 14.4). Those that are not listed are absent. */
  readonly model?: string;
  readonly manufacturer?: string;
  readonly apiLevel?: number;
  readonly kind?: DeviceKind;
  readonly avd?: string;
  /** Tags of the phone, in addition to those that an Admin sets. Absent if there are none. */
  readonly tags?: readonly string[];
}

const MOST_DEVICES = 10_000;
const HIGHEST_PORT = 65_535;
const LONGEST: Readonly<Record<string, number>> = { udid: 256, name: 128, platform: 64, osVersion: 64 };
const FACTS = ['model', 'manufacturer', 'avd'] as const;
const LONGEST_FACT = 128;
const MOST_TAGS = 50;
const OPTIONAL = [
  'mjpegUrl',
  'mjpegServerPort',
  'h264Url',
  'wdaUrl',
  'adb',
  ...FACTS,
  'apiLevel',
  'kind',
  'tags',
];

/**
 * Parses the JSON array of `SVC_DEVICES`. Error messages name the entry, counted from 1, and the field, but never quote
 * a value.
 */
export const deviceList: Rule<readonly ConfiguredDevice[]> = ruled('JSON array of phones', (text) => {
  const entries = parsed(text);
  if (entries instanceof SyntaxError) throw new Unusable(`is not JSON${positionIn(entries)}`);
  if (!Array.isArray(entries)) throw new Unusable('is not a JSON array of phones');
  if (entries.length > MOST_DEVICES) throw new Unusable(`has more than ${MOST_DEVICES} phones`);
  const devices = entries.map((entry, index) => deviceOf(entry, `entry ${index + 1}`));
  const seen = new Set<string>();
  for (const [index, { udid }] of devices.entries()) {
    if (seen.has(udid)) throw new Unusable(`entry ${index + 1}: udid is that of another entry`);
    seen.add(udid);
  }
  return devices;
});

function deviceOf(entry: unknown, place: string): ConfiguredDevice {
  if (!isRecord(entry)) throw new Unusable(`${place} is not an object`);
  const { adb = false } = entry;
  for (const field of Object.keys(entry))
    if (!(Object.hasOwn(LONGEST, field) || OPTIONAL.includes(field)))
      throw new Unusable(`${place} has a field that is not known; the fields are ${FIELDS}`);
  if (typeof adb !== 'boolean') throw new Unusable(`${place}: adb is neither true nor false`);
  return {
    udid: textOf(entry, 'udid', place),
    name: textOf(entry, 'name', place),
    platform: textOf(entry, 'platform', place),
    osVersion: textOf(entry, 'osVersion', place),
    mjpegUrl: mjpegUrlOf(entry, place),
    h264Url: urlOf(entry, 'h264Url', ['ws:', 'wss:'], place),
    adb,
    wdaUrl: wdaUrlOf(entry, place),
    ...factsOf(entry, place),
  };
}

const FIELDS = [...Object.keys(LONGEST), ...OPTIONAL].join(', ');

type Facts = Pick<ConfiguredDevice, (typeof FACTS)[number] | 'apiLevel' | 'kind' | 'tags'>;

function factsOf(entry: Record<string, unknown>, place: string): Facts {
  const { apiLevel, kind, tags } = entry;
  const texts = FACTS.filter((field) => entry[field] !== undefined).map((field) => [
    field,
    textOf(entry, field, place),
  ]);
  if (apiLevel !== undefined && !Number.isSafeInteger(apiLevel))
    throw new Unusable(`${place}: apiLevel is not a whole number`);
  if (kind !== undefined && !DEVICE_KINDS.includes(kind as DeviceKind))
    throw new Unusable(`${place}: kind is not one of ${DEVICE_KINDS.join(', ')}`);
  if (tags !== undefined && !areTags(tags))
    throw new Unusable(`${place}: tags is not a list of at most ${MOST_TAGS} short texts`);
  return {
    ...Object.fromEntries(texts),
    ...(apiLevel === undefined ? {} : { apiLevel: apiLevel as number }),
    ...(kind === undefined ? {} : { kind: kind as DeviceKind }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags as string[])] }),
  };
}

function areTags(tags: unknown): boolean {
  if (!Array.isArray(tags) || tags.length > MOST_TAGS) return false;
  return tags.every((tag) => typeof tag === 'string' && /^[^\p{Cc}\p{Cs}]{1,64}$/u.test(tag));
}

function textOf(entry: Record<string, unknown>, field: string, place: string): string {
  const given = entry[field];
  const value = typeof given === 'string' ? given.trim() : '';
  if (value === '') throw new Unusable(`${place}: ${field} is not a text`);
  const longest = LONGEST[field] ?? LONGEST_FACT;
  if (value.length > longest) throw new Unusable(`${place}: ${field} is longer than ${longest} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw new Unusable(`${place}: ${field} has an unusable character`);
  return value;
}

function mjpegUrlOf(entry: Record<string, unknown>, place: string): string | null {
  const { mjpegServerPort: port, mjpegUrl } = entry;
  if (port === undefined) return urlOf(entry, 'mjpegUrl', ['http:', 'https:'], place);
  if (mjpegUrl !== undefined) throw new Unusable(`${place} has both mjpegUrl and mjpegServerPort`);
  if (!Number.isInteger(port) || (port as number) < 1 || (port as number) > HIGHEST_PORT)
    throw new Unusable(`${place}: mjpegServerPort is not a port`);
  return `http://127.0.0.1:${port}/`;
}

/** A driver appends paths to this address, so it must have no query and no fragment. */
function wdaUrlOf(entry: Record<string, unknown>, place: string): string | null {
  const url = urlOf(entry, 'wdaUrl', ['http:', 'https:'], place);
  if (url === null) return null;
  if (/[?#]/.test(url)) throw new Unusable(`${place}: wdaUrl has a query or a fragment`);
  return url.replace(/\/+$/, '');
}

function urlOf(
  entry: Record<string, unknown>,
  field: string,
  schemes: readonly string[],
  place: string,
): string | null {
  const value = entry[field];
  if (value === undefined || value === null) return null;
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  if (url === null || !schemes.includes(url.protocol) || url.username !== '' || url.password !== '') {
    const spelled = schemes.map((scheme) => `${scheme}//`).join(' or ');
    throw new Unusable(`${place}: ${field} is no ${spelled} address without user and password`);
  }
  return url.href;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

/**
 * @returns the position of the mistake in the JSON, or an empty text if the error does not name it. The rest of the
 * error message is dropped, because it may quote the value of the variable.
 */
function positionIn({ message }: SyntaxError): string {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  return position === undefined ? '' : ` at position ${position}`;
}
