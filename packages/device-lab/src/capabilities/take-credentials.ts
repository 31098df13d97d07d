import {
  ACCESS_KEY_PREFIX,
  CREDENTIAL_NAMESPACES,
  isRecord,
  LAB_CAPABILITIES,
  MAX_QUEUE_SECONDS,
  SAVE_DEVICE_LOGS,
  SECRET_CAPABILITIES,
} from '@svc/contract';
import { type RecordingOptions, recordingOptionsOf } from './recording-options.ts';
import { REDACTED } from './redacted.ts';

/** Credentials in the capabilities of a test session, which have not been verified yet (specification 5.4.1). */
export interface SessionCredentials {
  /** Access key and token, or null unless both are present (contract 6.1). */
  readonly pair: { readonly accessKey: string; readonly token: string } | null;
  readonly sessionToken: string | null;
}

/**
 * Id and token of a lease in a create-session request. They have not been verified yet (specification 2, contract 2).
 */
export interface LeaseCredential {
  readonly id: string;
  readonly token: string;
}

/** Options in the capabilities of a test session that the lab itself uses, such as the team or a lease. */
export interface SessionOptions {
  /** Id or exact name of the team whose devices the session wants, or null if it names no team (contract 6.4). */
  readonly team: string | null;
  /**
   * Value of the capability field `healingTiers`, a list of numbers from 1 to 5 that is stored with the session. Null
   * if the field is absent, and `'unusable'` if its value is not such a list (specification 9.2, since version 2.15).
   */
  readonly healingTiers: readonly number[] | 'unusable' | null;
  /** Lease that the session wants to use, or null unless both its id and its token are present. */
  readonly lease: LeaseCredential | null;
  /** Recording options that the session requests, or the reason why they cannot be used (contract 11). */
  readonly recording: RecordingOptions | { readonly unusable: string };
  /**
   * Seconds for which the create-session request waits for a phone. Null if the request does not state them, and
   * `'unusable'` if the value is not a whole number from 0 to 600 (contract 13).
   */
  readonly queueSeconds: number | 'unusable' | null;
  /**
   * Whether the phone shall be left as it is after the session, or `'unusable'` if this is no boolean (contract 17.3).
   */
  readonly keep: boolean | 'unusable';
}

export interface TakenCredentials {
  readonly credentials: SessionCredentials;
  readonly input: SessionOptions;
}

type Fields = Record<string, unknown>;

const NO_CREDENTIALS: SessionCredentials = { pair: null, sessionToken: null };

/**
 * Reads the credentials in W3C capabilities. Each `firstMatch` entry is merged over `alwaysMatch`, and the first entry
 * with credentials decides (contract 6.1).
 */
export function readCredentials(capabilities: unknown): TakenCredentials {
  const views = matchedViews(capabilities, [...CREDENTIAL_NAMESPACES, SAVE_DEVICE_LOGS]);
  let first: Fields | undefined;
  for (const view of views) {
    const namespaces = namespacesOf(view);
    first ??= view;
    const credentials = credentialsOf(namespaces);
    if (credentials.pair !== null || credentials.sessionToken !== null) {
      return { credentials, input: inputOf(view) };
    }
  }
  return { credentials: NO_CREDENTIALS, input: inputOf(first ?? {}) };
}

/**
 * @returns one set of capabilities for each `firstMatch` entry, merged with `alwaysMatch`, in the order of the entries.
 * Only the members in `names` are merged. If all were, the work would grow with the number of entries times the number
 * of members, and an unauthenticated client could cause too much of it.
 */
function matchedViews(capabilities: unknown, names: readonly string[]): Fields[] {
  if (!isRecord(capabilities)) return [];
  const { alwaysMatch, firstMatch } = capabilities;
  const always = isRecord(alwaysMatch) ? alwaysMatch : {};
  const entries = Array.isArray(firstMatch) && firstMatch.length > 0 ? firstMatch : [{}];
  return entries.filter(isRecord).map((entry) => {
    const view: Fields = {};
    for (const name of names) {
      if (Object.hasOwn(entry, name)) view[name] = entry[name];
      else if (Object.hasOwn(always, name)) view[name] = always[name];
    }
    return view;
  });
}

function credentialsOf(namespaces: readonly Fields[]): SessionCredentials {
  const accessKey = textField(namespaces, 'accessKey');
  const token = textField(namespaces, 'token');
  return {
    pair: accessKey !== null && token !== null ? { accessKey, token } : null,
    sessionToken: textField(namespaces, 'sessionToken'),
  };
}

/**
 * @returns the value of the field in the first namespace that has text for it, or null. `null` and values that are not
 * text count as not set (contract 6.1).
 */
function textField(namespaces: readonly Fields[], name: string): string | null {
  for (const fields of namespaces) {
    const value = fields[name];
    if (Object.hasOwn(fields, name) && typeof value === 'string') return value;
  }
  return null;
}

function namespacesOf(view: Fields): Fields[] {
  return CREDENTIAL_NAMESPACES.map((name) => view[name]).filter(isRecord);
}

function inputOf(view: Fields): SessionOptions {
  const namespaces = namespacesOf(view);
  const id = textField(namespaces, 'leaseId');
  const token = textField(namespaces, 'leaseToken');
  return {
    team: textField(namespaces, 'team'),
    healingTiers: healingTiersOf(namespaces),
    lease: id !== null && token !== null ? { id, token } : null,
    recording: recordingOptionsOf(namespaces, view[SAVE_DEVICE_LOGS]),
    queueSeconds: queueSecondsOf(namespaces),
    keep: keepOf(namespaces),
  };
}

function healingTiersOf(namespaces: readonly Fields[]): SessionOptions['healingTiers'] {
  const asked = namespaces.find((fields) => (fields.healingTiers ?? null) !== null)?.healingTiers;
  if (asked === undefined) return null;
  const usable =
    Array.isArray(asked) && asked.every((tier) => Number.isInteger(tier) && tier >= 1 && tier <= 5);
  return usable ? [...new Set(asked as number[])] : 'unusable';
}

function keepOf(namespaces: readonly Fields[]): SessionOptions['keep'] {
  const asked = namespaces.find((fields) => (fields.keep ?? null) !== null)?.keep ?? false;
  return typeof asked === 'boolean' ? asked : 'unusable';
}

function queueSecondsOf(namespaces: readonly Fields[]): SessionOptions['queueSeconds'] {
  const asked = namespaces.find((fields) => (fields.queueSeconds ?? null) !== null)?.queueSeconds;
  if (asked === undefined) return null;
  const isUsable =
    Number.isInteger(asked) && (asked as number) >= 0 && (asked as number) <= MAX_QUEUE_SECONDS;
  return isUsable ? (asked as number) : 'unusable';
}

const FOR_THE_LAB = new Set<string>([...SECRET_CAPABILITIES, ...LAB_CAPABILITIES]);
const SECRETS_IN_ANY_CASE = new Set(SECRET_CAPABILITIES.map((name) => name.toLowerCase()));
/**
 * Matches `svc:options` and `lab:options`, also with the prefix `appium:`. Appium accepts capabilities inside
 * `appium:options` and moves them to the top level with this prefix.
 */
const NAMESPACE = new RegExp(`^(?:appium:)?(?:${CREDENTIAL_NAMESPACES.join('|')})$`);
/** Matches the user name and password of an address, from the slashes on, if the user name could be an access key. */
const PAIR_IN_ADDRESS = new RegExp(`//${ACCESS_KEY_PREFIX}[^\\s/?#"'<>]*@`, 'g');
const RETIRED = /^(?:svc:|appium:)?df:/i;
const LOOSE_SECRET = new RegExp(`^(?:\\w+:)?(?:svc|lab|df):(?:${[...SECRETS_IN_ANY_CASE].join('|')})$`, 'i');

/**
 * Removes every credential from the body of a create-session request. Changes the body in place, at every depth: in
 * `alwaysMatch`, `firstMatch`, legacy capabilities, and objects nested in them (contract 6.2).
 *
 * - In `svc:options` and `lab:options`, the credentials and the options in `LAB_CAPABILITIES` are removed. If such an
 *   object has no other members, it is removed as a whole, so that the driver and the client see the capabilities of a
 *   session without svc.
 * - The capability `svc:save_device_logs` is removed.
 * - Secrets in other forms are masked, for example in a namespace of the 1.x releases (`df:options`) or with a prefix
 *   (`svc:token`).
 * - A key pair is removed from every address. Selenium's Python client copies the address of the server, with user name
 *   and password, into the capability `se:remoteUrl` (contract 15.1).
 * - Everything else stays unchanged.
 *
 * The function is not recursive, so that a deeply nested body does not overflow the stack.
 */
export function stripCredentials(root: unknown): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) {
      for (const [at, inner] of value.entries()) {
        if (isObject(inner)) open.push(inner);
        else if (hasPair(inner)) value[at] = withoutPair(inner);
      }
    } else if (isRecord(value)) {
      for (const name of Object.keys(value)) {
        // `stripMember` changes only members whose name has a colon, which most names lack. Skip the others, because
        // the test for a colon is cheaper than the patterns of `stripMember`.
        if (name.includes(':')) stripMember(value, name);
        const inner = value[name];
        if (isObject(inner)) open.push(inner);
        else if (hasPair(inner)) value[name] = withoutPair(inner);
      }
    }
  }
}

/** @returns whether the value is a text with an address whose user name could be an access key */
function hasPair(value: unknown): value is string {
  return typeof value === 'string' && value.includes(`//${ACCESS_KEY_PREFIX}`);
}

function withoutPair(text: string): string {
  return text.replace(PAIR_IN_ADDRESS, '//');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function stripMember(record: Fields, name: string): void {
  if (name === SAVE_DEVICE_LOGS) delete record[name];
  else if (NAMESPACE.test(name)) {
    if (isForLabOnly(record[name])) delete record[name];
    else record[name] = strippedNamespace(record[name]);
  } else if (LOOSE_SECRET.test(name)) record[name] = REDACTED;
  else if (RETIRED.test(name)) maskRetired(record[name]);
}

/**
 * @returns whether all members of the object are meant for the lab, so that `stripCredentials` removes the whole
 * object. False for an empty object, which stays in the body.
 */
function isForLabOnly(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => FOR_THE_LAB.has(name));
}

function strippedNamespace(value: unknown): unknown {
  if (typeof value === 'string') return REDACTED;
  for (const fields of Array.isArray(value) ? value : [value]) {
    if (!isRecord(fields)) continue;
    for (const name of Object.keys(fields)) {
      if (FOR_THE_LAB.has(name)) delete fields[name];
      else if (SECRETS_IN_ANY_CASE.has(name.toLowerCase())) fields[name] = REDACTED;
    }
  }
  return value;
}

function maskRetired(value: unknown): void {
  for (const fields of Array.isArray(value) ? value : [value]) {
    if (!isRecord(fields)) continue;
    for (const name of Object.keys(fields)) {
      if (SECRETS_IN_ANY_CASE.has(name.replace(/^.*:/, '').toLowerCase())) fields[name] = REDACTED;
    }
  }
}
