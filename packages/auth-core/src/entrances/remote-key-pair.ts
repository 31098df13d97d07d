import { HEADERS, headersOfProof, PROOF_SCHEMES } from '@svc/contract';
import { headerText, type PresentedCredentials } from '../credentials/presented.ts';
import type { CredentialScheme, CredentialUse } from '../credentials/scheme.ts';
import { Rejected, type Verification, type VerifiedCredential } from '../credentials/verification.ts';
import { Unavailable } from '../errors.ts';
import { lruCache } from '../lru-cache.ts';
import type { Clock } from '../ports/index.ts';
import { type Account, type Caller, credentialOfKind } from '../principal.ts';
import { type RequestOrigin, senderOf } from '../request-origin.ts';
import type { ScopeSet } from '../scopes.ts';
import { hexOf } from '../secrets/opaque.ts';
import { isTokenSecret } from '../secrets/token-secret.ts';
import { LookupTurns } from './lookup-turns.ts';

interface KeyPair {
  readonly accessKey: string;
  readonly token: string;
}

/** What the first entrance says of a pair. */
interface AnsweredPair {
  readonly accountId: string;
  readonly scopes: ScopeSet;
  readonly expiresAt: number | null;
}

interface RemoteKeyPairOptions {
  /** Asks the first entrance. Null: it refuses the pair. Rejects when it does not say. */
  readonly ask: (pair: KeyPair) => Promise<AnsweredPair | null>;
  /** Resolves when an account that exists is known here. */
  readonly learn: (accountId: string) => Promise<void>;
  /** Changes whenever an answer may. */
  readonly version: () => number;
  /** A pair was refused that was good before: what is open by it is to be looked at. */
  readonly ended: () => void;
  readonly clock: Clock;
}

interface Answered {
  readonly pair: KeyPair;
  readonly verified: VerifiedCredential;
  /** When it was answered (ms). */
  readonly at: number;
  readonly version: number;
}

interface LookedUp {
  readonly answer: AnsweredPair | null;
  /** When it was asked about (ms). */
  readonly at: number;
  readonly version: number;
}

/** Specification 5.7.6: no answer counts for longer. */
const REMEMBERED_MS = 30_000;
/** What stays open is asked about again after this. */
const ASK_AGAIN_MS = 10_000;
const REMEMBERED = 10_000;
/** Sender of the look-ups that no request causes. */
const NO_CLIENT = '';

/** Access key + token where there is no database: the first entrance is asked, and its answer remembered for 30 s. */
export class RemoteKeyPairScheme implements CredentialScheme {
  readonly kind = 'key';
  readonly publicCode = PROOF_SCHEMES.key.refusal;
  readonly headers = headersOfProof('key');
  readonly onCommands = true;
  readonly tracksAddresses = false;
  /** Its last use is when it was asked about: a caller is remembered until that is due again. */
  readonly use: CredentialUse = { everyMs: REMEMBERED_MS, extends: false, note: () => undefined };
  readonly #options: RemoteKeyPairOptions;
  readonly #answered = lruCache<Answered>(REMEMBERED);
  readonly #asking = new Map<string, Promise<Verification>>();
  readonly #turns = new LookupTurns();

  constructor(options: RemoteKeyPairOptions) {
    this.#options = options;
  }

  /** Half a pair is a failing pair, with no fallback (contract 1). */
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
    const known = this.#answered.get(id);
    if (known?.pair.accessKey === accessKey && this.#isCurrent(known, now)) return known.verified;
    return this.#askAbout(id, { accessKey, token }, senderOf(from) ?? NO_CLIENT);
  }

  /** Compared plainly: it is no secret, and only who holds a good token gets this far. */
  fits({ headers }: PresentedCredentials, account: Account): boolean {
    return account.accessKey === headerText(headers[HEADERS.accessKey]);
  }

  stillGood({ account: then, credential }: Caller, account: Account, now: number): boolean {
    const known = this.#answered.get(credential.id);
    if (known === undefined || account.accessKey !== then.accessKey) return false;
    const isOld = now < known.at || now - known.at >= ASK_AGAIN_MS;
    if (isOld || known.version !== this.#options.version())
      this.#askAbout(credential.id, known.pair, NO_CLIENT).catch(() => undefined);
    if (now < known.at || now - known.at >= REMEMBERED_MS)
      throw new Unavailable('the first entrance was not heard of this key');
    return true;
  }

  #isCurrent({ at, version }: Answered, now: number): boolean {
    return now >= at && now - at < REMEMBERED_MS && version === this.#options.version();
  }

  /** One question at a time for each pair. */
  #askAbout(id: string, pair: KeyPair, sender: string): Promise<Verification> {
    const key = `${id} ${pair.accessKey}`;
    const begun = this.#asking.get(key);
    if (begun !== undefined) return begun;
    const asking = this.#ask(id, pair, sender).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #ask(id: string, pair: KeyPair, sender: string): Promise<Verification> {
    const { clock, ended } = this.#options;
    const known = this.#answered.get(id);
    let answered: LookedUp;
    try {
      answered = await this.#turns.run(sender, () => this.#lookUp(pair));
    } catch (error) {
      const now = clock.now();
      if (known !== undefined && now >= known.at && now - known.at < REMEMBERED_MS) return known.verified;
      throw new Unavailable('the first entrance did not answer', error);
    }
    const { answer, at, version } = answered;
    if (answer === null) {
      const wasGood = known?.pair.accessKey === pair.accessKey;
      if (wasGood) this.#answered.delete(id);
      if (wasGood) ended();
      return new Rejected('refused by the first entrance');
    }
    const { accountId, scopes, expiresAt } = answer;
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
    this.#answered.set(id, { pair, verified, at, version });
    return verified;
  }

  async #lookUp(pair: KeyPair): Promise<LookedUp> {
    const { ask, learn, version, clock } = this.#options;
    // Both before it is asked: what changes meanwhile must not count as answered.
    const asked = { at: clock.now(), version: version() };
    const answer = await ask(pair);
    if (answer !== null) await learn(answer.accountId);
    return { answer, ...asked };
  }
}

/** No part of the token can be told from it, and two tokens have two. */
function idOf(digest: string): string {
  return hexOf(digest).slice(0, 32);
}
