import {
  type Account,
  type Caller,
  type Clock,
  type CredentialScheme,
  credentialOfKind,
  headerText,
  isTokenSecret,
  type PresentedCredentials,
  Rejected,
  type RequestOrigin,
  type ScopeSet,
  senderOf,
  Unavailable,
  type Verification,
} from '@svc/auth-core';
import { HEADERS, headersOfProof, PROOF_SCHEMES } from '@svc/contract';
import { lruCache } from '@svc/module';
import type { KeyPair } from '@svc/nodes';
import { LookupTurns } from './lookup-turns.ts';

/**
 * Result of a look-up at the first entrance: the account of an access key and token, and
 * the scopes of the token.
 */
interface RemoteCaller {
  readonly accountId: string;
  readonly scopes: ScopeSet;
  readonly expiresAt: number | null;
}

interface RemoteKeyPairOptions {
  /**
   * Lets the first entrance check an access key and token. Resolves to null if it
   * refuses them, and rejects if it does not respond.
   */
  readonly lookUp: (pair: KeyPair) => Promise<RemoteCaller | null>;
  /**
   * Requests the accounts again if this server has not received this account yet. Afterwards this server has the
   * account, if it exists.
   */
  readonly learn: (accountId: string) => Promise<void>;
  /**
   * Returns a number that changes whenever accounts or tokens have changed at the first entrance, so that the results
   * of earlier look-ups may be outdated.
   */
  readonly version: () => number;
  /**
   * Called when the first entrance refuses an access key and token that it accepted before. Connections that were
   * opened with them must then be checked again.
   */
  readonly ended: () => void;
  readonly clock: Clock;
}

/**
 * Access key and token that the first entrance has accepted, with the result of the
 * look-up.
 */
interface AcceptedPair {
  readonly pair: KeyPair;
  readonly verified: Exclude<Verification, Rejected>;
  /** Time when the look-up started, in ms since 1970. */
  readonly at: number;
  readonly version: number;
}

interface LookUp {
  readonly remote: RemoteCaller | null;
  /** Time when the look-up started, in ms since 1970. */
  readonly at: number;
  readonly version: number;
}

/** Maximum time in ms for which the result of a look-up is cached (specification 5.7.6). */
const CACHED_MS = 30_000;
/** Age of a cached result in ms after which the check of an open connection starts another look-up. */
const REFRESH_MS = 10_000;
const MOST_CACHED = 10_000;
/** Stands for the client address in look-ups that this server starts without a request of a client. */
const NO_CLIENT = '';

/**
 * Authenticates by access key and token on a server without a database. The first entrance (the server with the
 * database) checks them. The result is cached for 30 s.
 */
export class RemoteKeyPairScheme implements CredentialScheme {
  readonly kind = 'key';
  readonly publicCode = PROOF_SCHEMES.key.refusal;
  readonly headers = headersOfProof('key');
  readonly onCommands = true;
  readonly tracksAddresses = false;
  /**
   * Limits how long an authenticated caller is cached: until 30 s after the look-up (`everyMs`). Uses are not recorded
   * here, because this server has no database, so `note` does nothing.
   */
  readonly use = { everyMs: CACHED_MS, extends: false, note: () => undefined };
  readonly #options: RemoteKeyPairOptions;
  readonly #accepted = lruCache<AcceptedPair>(MOST_CACHED);
  readonly #lookUps = new Map<string, Promise<Verification>>();
  readonly #turns = new LookupTurns();

  constructor(options: RemoteKeyPairOptions) {
    this.#options = options;
  }

  /**
   * Reads the token of a request.
   * @returns undefined if the request has neither access key nor token, or an empty token if it has only the access
   * key, so that the incomplete pair is refused instead of ignored (contract 1)
   */
  secretOf({ headers }: PresentedCredentials): string | undefined {
    const token = headerText(headers[HEADERS.token]);
    return token === undefined && headers[HEADERS.accessKey] !== undefined ? '' : token;
  }

  verify(
    { headers }: PresentedCredentials,
    token: string,
    digest: string,
    now: number,
    from: RequestOrigin,
  ): Verification | Promise<Verification> {
    const accessKey = headerText(headers[HEADERS.accessKey]);
    if (accessKey === undefined || headers[HEADERS.token] === undefined) return new Rejected('half a pair');
    if (!isTokenSecret(token)) return new Rejected('token has a wrong form or checksum');
    const id = idOf(digest);
    const known = this.#accepted.get(id);
    if (known?.pair.accessKey === accessKey && this.#isCurrent(known, now)) return known.verified;
    return this.#verifyRemotely(id, { accessKey, token }, senderOf(from) ?? NO_CLIENT);
  }

  /**
   * Checks that the access key is that of the account. The comparison does not take constant time, because the access
   * key is not secret and the token was valid.
   */
  fits({ headers }: PresentedCredentials, account: Account): boolean {
    return account.accessKey === headerText(headers[HEADERS.accessKey]);
  }

  stillGood({ account: then, credential }: Caller, account: Account, now: number): boolean {
    const known = this.#accepted.get(credential.id);
    if (known === undefined || account.accessKey !== then.accessKey) return false;
    const isOld = now < known.at || now - known.at >= REFRESH_MS;
    if (isOld || known.version !== this.#options.version())
      this.#verifyRemotely(credential.id, known.pair, NO_CLIENT).catch(() => undefined);
    if (now < known.at || now - known.at >= CACHED_MS)
      throw new Unavailable('the key could not be revalidated with the first entrance');
    return true;
  }

  #isCurrent({ at, version }: AcceptedPair, now: number): boolean {
    return now >= at && now - at < CACHED_MS && version === this.#options.version();
  }

  /**
   * Lets the first entrance check an access key and token. Concurrent calls for the same
   * pair share one look-up.
   */
  #verifyRemotely(id: string, pair: KeyPair, sender: string): Promise<Verification> {
    const key = `${id} ${pair.accessKey}`;
    const running = this.#lookUps.get(key);
    if (running !== undefined) return running;
    const lookUp = this.#lookUpInTurn(id, pair, sender).finally(() => this.#lookUps.delete(key));
    this.#lookUps.set(key, lookUp);
    return lookUp;
  }

  async #lookUpInTurn(id: string, pair: KeyPair, sender: string): Promise<Verification> {
    const { clock, ended } = this.#options;
    const known = this.#accepted.get(id);
    let result: LookUp;
    try {
      result = await this.#turns.run(sender, () => this.#lookUp(pair));
    } catch (error) {
      const now = clock.now();
      if (known !== undefined && now >= known.at && now - known.at < CACHED_MS) return known.verified;
      throw new Unavailable('the first entrance did not answer', error);
    }
    const { remote, at, version } = result;
    if (remote === null) {
      const wasGood = known?.pair.accessKey === pair.accessKey;
      if (wasGood) this.#accepted.delete(id);
      if (wasGood) ended();
      return new Rejected('refused by the first entrance');
    }
    const { accountId, scopes, expiresAt } = remote;
    const credential = credentialOfKind(this.kind, id, {});
    const verified = {
      accountId,
      credential,
      granted: scopes,
      expiresAt,
      grantsUntil: expiresAt,
      teamId: null,
      usedAt: at,
    };
    this.#accepted.set(id, { pair, verified, at, version });
    return verified;
  }

  async #lookUp(pair: KeyPair): Promise<LookUp> {
    const { lookUp, learn, version, clock } = this.#options;
    // Read the version before the look-up. If an account or token changes while the look-up is under way, the result
    // then has an outdated version, so it is not reused and the next request causes a new look-up.
    const begun = { at: clock.now(), version: version() };
    const remote = await lookUp(pair);
    if (remote !== null) await learn(remote.accountId);
    return { remote, ...begun };
  }
}

/**
 * @returns the id of the credential: half of the digest of its token, which differs for every token and does not reveal
 * the token
 */
function idOf(digest: string): string {
  return Buffer.from(digest, 'latin1').toString('hex').slice(0, 32);
}
