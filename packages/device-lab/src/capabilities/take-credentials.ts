import {
  ACCESS_KEY_PREFIX,
  CREDENTIAL_NAMESPACES,
  isRecord,
  LAB_CAPABILITIES,
  SAVE_DEVICE_LOGS,
  SECRET_CAPABILITIES,
} from '@svc/contract';
import { REDACTED } from './redacted.ts';
import { type LabView, type SessionOptions, sessionOptionsOf, textIn } from './session-options.ts';

/** Credentials in the capabilities of a test session, which have not been verified yet (specification 5.4.1). */
export interface SessionCredentials {
  /** Access key and token, or null unless both are present (contract 6.1). */
  readonly pair: { readonly accessKey: string; readonly token: string } | null;
  readonly sessionToken: string | null;
}

export interface TakenCredentials {
  readonly credentials: SessionCredentials;
  readonly input: SessionOptions;
}

type Fields = Record<string, unknown>;

const NO_CREDENTIALS: SessionCredentials = { pair: null, sessionToken: null };
const NO_VIEW: LabView = { namespaces: [], saveDeviceLogs: null };

/**
 * Reads the credentials in W3C capabilities. Each `firstMatch` entry is merged over `alwaysMatch`, and the first entry
 * with credentials decides (contract 6.1).
 */
export function readCredentials(capabilities: unknown): TakenCredentials {
  const views = labViews(capabilities);
  for (const view of views) {
    const { namespaces } = view;
    const accessKey = textIn(namespaces, 'accessKey');
    const token = textIn(namespaces, 'token');
    const pair = accessKey !== null && token !== null ? { accessKey, token } : null;
    const sessionToken = textIn(namespaces, 'sessionToken');
    if (pair !== null || sessionToken !== null)
      return { credentials: { pair, sessionToken }, input: sessionOptionsOf(view) };
  }
  return { credentials: NO_CREDENTIALS, input: sessionOptionsOf(views[0] ?? NO_VIEW) };
}

/**
 * @returns what the lab reads of each `firstMatch` entry, merged with `alwaysMatch`, in the order of the entries. No
 * other members are merged. If all were, the work would grow with the number of entries times the number of members, and
 * an unauthenticated client could cause too much of it.
 */
function labViews(capabilities: unknown): LabView[] {
  if (!isRecord(capabilities)) return [];
  const { alwaysMatch, firstMatch } = capabilities;
  const always = isRecord(alwaysMatch) ? alwaysMatch : {};
  const entries = Array.isArray(firstMatch) && firstMatch.length > 0 ? firstMatch : [{}];
  return entries.filter(isRecord).map((entry) => {
    const memberOf = (name: string) => {
      const set = Object.hasOwn(entry, name) ? entry : always;
      return Object.hasOwn(set, name) ? set[name] : undefined;
    };
    const namespaces = CREDENTIAL_NAMESPACES.map(memberOf).filter(isRecord);
    return { namespaces, saveDeviceLogs: memberOf(SAVE_DEVICE_LOGS) };
  });
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
    if (typeof value !== 'object' || value === null) continue;
    const members = value as Fields;
    for (const name of Object.keys(members)) {
      // `stripMember` changes only members whose name has a colon, which most names lack. Skip the others, because the
      // test for a colon is cheaper than the patterns of `stripMember`.
      if (name.includes(':')) stripMember(members, name);
      const inner = members[name];
      if (typeof inner === 'object') open.push(inner);
      // Look for an address whose user name could be an access key.
      else if (typeof inner === 'string' && inner.includes(`//${ACCESS_KEY_PREFIX}`))
        members[name] = inner.replace(PAIR_IN_ADDRESS, '//');
    }
  }
}

function stripMember(record: Fields, name: string): void {
  const value = record[name];
  if (name === SAVE_DEVICE_LOGS) delete record[name];
  else if (NAMESPACE.test(name)) {
    if (typeof value === 'string') record[name] = REDACTED;
    else if (stripNamespace(value)) delete record[name];
  } else if (LOOSE_SECRET.test(name)) record[name] = REDACTED;
  else if (RETIRED.test(name)) maskRetired(value);
}

/** @returns whether the value was an object whose members were all for the lab, so that nothing is left of it */
function stripNamespace(value: unknown): boolean {
  let isStripped = false;
  for (const fields of Array.isArray(value) ? value : [value]) {
    if (!isRecord(fields)) continue;
    for (const name of Object.keys(fields)) {
      if (FOR_THE_LAB.has(name)) isStripped = delete fields[name];
      else if (SECRETS_IN_ANY_CASE.has(name.toLowerCase())) fields[name] = REDACTED;
    }
  }
  return isStripped && isRecord(value) && Object.keys(value).length === 0;
}

function maskRetired(value: unknown): void {
  for (const fields of Array.isArray(value) ? value : [value]) {
    if (!isRecord(fields)) continue;
    for (const name of Object.keys(fields)) {
      if (SECRETS_IN_ANY_CASE.has(name.replace(/^.*:/, '').toLowerCase())) fields[name] = REDACTED;
    }
  }
}
