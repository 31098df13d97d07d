import { isRecord, isSafeAddress } from '@svc/contract';
import { ask, connectionPool, type Destinations, type Outbound } from '@svc/outbound';
import type { JSONWebKeySet } from 'jose';

/** Time limit (ms) of one request to an issuer. */
const ANSWER_MS = 5_000;
/** Maximum size of a response in bytes. */
const LARGEST = 256 * 1024;
const MOST_KEYS = 100;

/**
 * Fetches the keys of an issuer by OpenID Connect Discovery. The document must name the issuer, and its `jwks_uri` must
 * be on the issuer's host. `destinations` decides which addresses the host may have. Redirects are not followed.
 * Rejects if one of these conditions is not met.
 */
export async function fetchKeys(
  issuer: string,
  { outbound, destinations }: { readonly outbound: Outbound; readonly destinations?: Destinations },
): Promise<JSONWebKeySet> {
  const base = new URL(issuer);
  if (!isSafeAddress(base)) throw new Error('the issuer is not https');
  const pool = connectionPool(base.origin, outbound, destinations === undefined ? {} : { destinations }, 1);
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const request = { method: 'GET', path, headers: { accept: 'application/json' }, body: null } as const;
    const { status, body } = await ask(pool, { ...request, withinMs: ANSWER_MS, largest: LARGEST });
    if (status !== 200 || !isRecord(body)) throw new Error(`${path} answered ${status} or no JSON object`);
    return body;
  };
  try {
    const path = `${base.pathname.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { issuer: named, jwks_uri } = await get(path);
    if (named !== issuer) throw new Error('the discovery document names another issuer');
    const { keys } = await get(pathOnHost(jwks_uri, base));
    if (!Array.isArray(keys) || keys.length > MOST_KEYS) throw new Error('the key set has no list of keys');
    return { keys: keys.filter(isRecord) } as unknown as JSONWebKeySet;
  } finally {
    await pool.destroy();
  }
}

function pathOnHost(jwksUri: unknown, { origin }: URL): string {
  const url = typeof jwksUri === 'string' && URL.canParse(jwksUri) ? new URL(jwksUri) : undefined;
  if (url === undefined || url.origin !== origin || url.username !== '' || url.password !== '')
    throw new Error('jwks_uri is not on the host of the issuer');
  return `${url.pathname}${url.search}`;
}
