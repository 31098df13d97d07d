import { isRecord, type ScopeSet, scopeSet, type ToldAccount } from '@svc/auth-core';
import { API_PREFIX, isScope, ROLES, STATUSES } from '@svc/contract';
import { type JsonAnswer, JsonClient, type Outbound } from '@svc/outbound';
import type { FirstEntranceSettings } from '@svc/settings';
import { type KeyPair, pairHeaders } from '../nodes/pair-headers.ts';

/** Some hundred bytes for each account. */
const LARGEST_ANSWER = 64 * 1024 * 1024;
/** Connections with the key of this entrance, over which it is told of accounts and signing keys. */
const OWN_CONNECTIONS = 8;
/**
 * Connections for look-ups of clients' credentials. Unauthenticated clients cause look-ups, so they share no connection
 * with the calls above.
 */
const LOOKUP_CONNECTIONS = 64;

/** What a further entrance asks the first one. Every call rejects unless it is answered as expected. */
export class FirstEntrance {
  readonly #own: KeyPair;
  readonly #client: JsonClient;
  readonly #lookups: JsonClient;

  constructor({ url, ca, accessKey, token }: FirstEntranceSettings, outbound: Outbound) {
    this.#own = { accessKey, token };
    const options = { url: `${url}${API_PREFIX}`, ca, outbound, largest: LARGEST_ANSWER };
    this.#client = new JsonClient({ ...options, connections: OWN_CONNECTIONS });
    this.#lookups = new JsonClient({ ...options, connections: LOOKUP_CONNECTIONS });
  }

  async keys(): Promise<unknown> {
    return expected(await this.#client.ask('/auth/jwks.json', { method: 'GET' }));
  }

  /** `after`: the last answer's cursor, to wait for a change; undefined: answered at once. */
  async accounts(after: string | undefined): Promise<{ cursor: string; accounts: ToldAccount[] | null }> {
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
    const body = expected(
      await this.#client.ask(`/entrances/accounts${query}`, {
        method: 'GET',
        headers: pairHeaders(this.#own),
      }),
    );
    const { cursor, accounts } = isRecord(body) ? body : {};
    const isWhole = accounts === null || (Array.isArray(accounts) && accounts.every(isToldAccount));
    if (typeof cursor !== 'string' || !isWhole) throw new Error('no answer as of this version');
    return { cursor, accounts };
  }

  /** Null: it refuses the pair. */
  async callerOf(
    as: KeyPair,
  ): Promise<{ accountId: string; scopes: ScopeSet; expiresAt: number | null } | null> {
    const answer = await this.#lookups.ask('/auth/me', { method: 'GET', headers: pairHeaders(as) });
    if (answer.status === 401) return null;
    const body = expected(answer);
    const { id, scopes, expiresAt } = isRecord(body) ? body : {};
    if (typeof id !== 'string' || !Array.isArray(scopes)) throw new Error('no answer as of this version');
    const ends = expiresAt === null ? null : Date.parse(String(expiresAt));
    if (Number.isNaN(ends)) throw new Error('no answer as of this version');
    return { accountId: id, scopes: scopeSet(scopes.filter(isScope)), expiresAt: ends };
  }

  /** Its client has ended it, through this entrance. */
  async ended(sessionId: string): Promise<void> {
    const path = `/session/${encodeURIComponent(sessionId)}`;
    await this.#client.ask(path, { method: 'DELETE', headers: pairHeaders(this.#own) });
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#lookups.close()]);
  }
}

function expected({ status, body }: JsonAnswer): unknown {
  if (status !== 200) throw new Error(`the first entrance answered ${status}`);
  return body;
}

function isToldAccount(value: unknown): value is ToldAccount {
  if (!isRecord(value)) return false;
  const { id, role, status, accessKey, signInEpoch, sparedSignIn } = value;
  return (
    typeof id === 'string' &&
    (ROLES as readonly unknown[]).includes(role) &&
    (STATUSES as readonly unknown[]).includes(status) &&
    typeof accessKey === 'string' &&
    typeof signInEpoch === 'number' &&
    (sparedSignIn === null || typeof sparedSignIn === 'string')
  );
}
