import { type ScopeSet, scopeSet } from '@svc/auth-core';
import { API_PREFIX, isRecord, isScope, ROLES, STATUSES } from '@svc/contract';
import { type KeyPair, pairHeaders } from '@svc/nodes';
import { type JsonAnswer, JsonClient, type Outbound } from '@svc/outbound';
import type { FirstEntranceSettings } from '@svc/settings';
import type { ReceivedAccount, RevokedToken } from './received-accounts.ts';

/** Maximum size of a response in bytes. An account takes some hundred bytes, so more than 100,000 accounts fit. */
const LARGEST_ANSWER = 64 * 1024 * 1024;
/**
 * Maximum number of connections for the requests that this server sends with its own access key: for accounts, signing
 * keys and ends of sessions.
 */
const OWN_CONNECTIONS = 8;
/**
 * Maximum number of connections for look-ups of clients' credentials. Unauthenticated clients can cause any number of
 * look-ups, so the look-ups must not use up the connections for other requests.
 */
const LOOKUP_CONNECTIONS = 64;

export interface AccountsAnswer {
  readonly cursor: string;
  readonly accounts: readonly ReceivedAccount[] | null;
  readonly trustRules: readonly string[];
  readonly revoked: readonly RevokedToken[];
  /** Seconds for which the first entrance accepts a token at most. */
  readonly longestLife: number;
}

/**
 * Sends requests from a further entrance of a grid to the first entrance, which is the server with the database.
 * Methods that return data reject if the response is unexpected.
 */
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

  /**
   * Requests the accounts from the first entrance.
   * @param after cursor of the last response: the first entrance then waits up to 8 s for a change before it responds.
   * If undefined, it responds immediately.
   * @returns the new cursor, and all accounts, trust rules and revoked tokens. If nothing has changed, `accounts` is
   * null and the lists are empty.
   */
  async accounts(after: string | undefined): Promise<AccountsAnswer> {
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
    const body = expected(
      await this.#client.ask(`/entrances/accounts${query}`, {
        method: 'GET',
        headers: pairHeaders(this.#own),
      }),
    );
    const { cursor, accounts, ...more } = isRecord(body) ? body : {};
    // Earlier versions of the server send only a part of these.
    const { trustRules = [], revoked = [], longestLife = Number.POSITIVE_INFINITY } = more;
    const isValid = accounts === null || (Array.isArray(accounts) && accounts.every(isAccount));
    const areRules = Array.isArray(trustRules) && trustRules.every((id) => typeof id === 'string');
    const areRevoked = Array.isArray(revoked) && revoked.every(isRevoked);
    if (typeof cursor !== 'string' || typeof longestLife !== 'number') throw invalidAnswer();
    if (!isValid || !areRules || !areRevoked) throw invalidAnswer();
    return { cursor, accounts, trustRules, revoked, longestLife };
  }

  /**
   * Lets the first entrance check an access key and token.
   * @returns the account, the scopes and the expiry (ms since 1970, or null for none) of the token; null if the first
   * entrance refuses the pair
   */
  async callerOf(
    pair: KeyPair,
  ): Promise<{ accountId: string; scopes: ScopeSet; expiresAt: number | null } | null> {
    const answer = await this.#lookups.ask('/auth/me', { method: 'GET', headers: pairHeaders(pair) });
    if (answer.status === 401) return null;
    const body = expected(answer);
    const { id, scopes, expiresAt } = isRecord(body) ? body : {};
    if (typeof id !== 'string' || !Array.isArray(scopes)) throw invalidAnswer();
    const ends = expiresAt === null ? null : Date.parse(String(expiresAt));
    if (Number.isNaN(ends)) throw invalidAnswer();
    return { accountId: id, scopes: scopeSet(scopes.filter(isScope)), expiresAt: ends };
  }

  /** Reports to the first entrance that a client has ended its session through this entrance. */
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

function invalidAnswer(): Error {
  return new Error('the response of the first entrance does not have the form of this version');
}

function isRevoked(value: unknown): value is RevokedToken {
  return isRecord(value) && typeof value.id === 'string' && typeof value.cascades === 'boolean';
}

function isAccount(value: unknown): value is ReceivedAccount {
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
