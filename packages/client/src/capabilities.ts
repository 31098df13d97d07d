import type { KeyPair } from './credentials.ts';
import { CREDENTIAL_NAMESPACES } from './wire.ts';

const [NAMESPACE] = CREDENTIAL_NAMESPACES;

/** Credentials that the capabilities of a new session carry (specification 5.4.1). */
export type SessionCredentials = KeyPair | { readonly sessionToken: string };

export interface WithCredentialsOptions {
  /** False to leave the capabilities unchanged; true, the default, adds the credentials (specification 5.7). */
  readonly attachSessionCredentials?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * @returns a copy of the capabilities with the credentials in `svc:options`
 *
 * Accepts plain capabilities, the W3C form (`alwaysMatch`, `firstMatch`), WebdriverIO's named capabilities
 * (`{ phone: { capabilities } }`) and lists of these. Removes all credentials that are already there, because the
 * service would otherwise use an old key pair and ignore a new session token.
 */
export function withCredentials<T>(
  capabilities: T,
  credentials: SessionCredentials,
  { attachSessionCredentials = true }: WithCredentialsOptions = {},
): T {
  if (!attachSessionCredentials) return capabilities;
  return attach(capabilities, fieldsOf(credentials)) as T;
}

/**
 * Adds credentials to `alwaysMatch` or `firstMatch` in the body of a W3C create-session request.
 * @returns a copy of the body, or undefined if the body has no object `capabilities`
 */
export function withCreateCredentials(body: unknown, credentials: CreateCredentials): Json | undefined {
  if (!isObject(body) || !isObject(body.capabilities)) return undefined;
  return { ...body, capabilities: attachToMatches(body.capabilities, fieldsOf(credentials)) };
}

/**
 * Fields that identify a lease. A create-session request that carries these fields gets the phone of the lease
 * (contract 2, `/leases`).
 */
export interface LeaseFields {
  readonly leaseId: string;
  readonly leaseToken: string;
}

/** Credentials of a create-session request, and optionally the lease whose phone the session uses. */
export type CreateCredentials = SessionCredentials & Partial<LeaseFields>;

/**
 * @returns a copy of the capabilities with the id and token of the lease in `svc:options`. Accepts the same forms as
 * `withCredentials`
 */
export function withLease<T>(capabilities: T, { leaseId, leaseToken }: LeaseFields): T {
  return attach(capabilities, { leaseId, leaseToken }) as T;
}

function fieldsOf(credentials: CreateCredentials): Json {
  const { leaseId, leaseToken } = credentials;
  const leased = leaseId === undefined || leaseToken === undefined ? {} : { leaseId, leaseToken };
  if ('sessionToken' in credentials) return { sessionToken: credentials.sessionToken, ...leased };
  return { accessKey: credentials.accessKey, token: credentials.token, ...leased };
}

function attach(value: unknown, fields: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => attach(each, fields));
  if (!isObject(value)) throw new TypeError('Capabilities must be an object or a list of objects');
  if ('alwaysMatch' in value || 'firstMatch' in value) return attachToMatches(value, fields);
  if (isNamed(value)) {
    return mapValues(value, (each) => ({ ...each, capabilities: attach(each.capabilities, fields) }));
  }
  return attachToOne(value, fields);
}

/**
 * Adds the fields to `svc:options` in `alwaysMatch`, and creates `alwaysMatch` if it is missing. If only `firstMatch`
 * entries contain `svc:options`, adds the fields to every entry instead, because Appium refuses a request with the same
 * capability in `alwaysMatch` and `firstMatch`.
 */
function attachToMatches(value: Json, fields: Json): Json {
  const always = isObject(value.alwaysMatch) ? value.alwaysMatch : {};
  const entries = Array.isArray(value.firstMatch) ? value.firstMatch.filter(isObject) : [];
  const inEntries = entries.some((entry) => NAMESPACE in entry);
  const inAlways = NAMESPACE in always || !inEntries;
  const first = entries.map((entry) =>
    NAMESPACE in entry || !inAlways ? attachToOne(entry, fields) : entry,
  );
  return {
    ...value,
    ...(inAlways ? { alwaysMatch: attachToOne(always, fields) } : {}),
    ...('firstMatch' in value ? { firstMatch: first } : {}),
  };
}

function attachToOne(capabilities: Json, fields: Json): Json {
  const given = capabilities[NAMESPACE];
  const { accessKey, token, sessionToken, ...others } = isObject(given) ? given : {};
  const kept = 'accessKey' in fields || 'sessionToken' in fields ? others : given;
  return { ...capabilities, [NAMESPACE]: { ...(isObject(kept) ? kept : {}), ...fields } };
}

function isNamed(value: Json): value is Readonly<Record<string, Json>> {
  const parts = Object.values(value);
  return parts.length > 0 && parts.every((part) => isObject(part) && isObject(part.capabilities));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(value: Readonly<Record<string, Json>>, change: (each: Json) => Json): Json {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
}
