import { type Audit, LOCAL_ORIGIN } from '../audit.ts';
import { Refusal } from '../errors.ts';
import type { Clock, Stores } from '../ports.ts';
import type { Caller, Credential } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { effectiveScopes, roleAllowance } from '../scopes.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { BearerProver } from './bearer.ts';
import { proveKeyPair } from './key-pair.ts';
import type { Presented } from './presented.ts';
import { type Proof, type ProofResult, PUBLIC_WORD, Unproven } from './proof.ts';
import { proveSessionToken } from './session-token.ts';
import { SignInProver } from './sign-in.ts';
import { UseTrail } from './use-trail.ts';

/** Last use of a key is right to the minute: it is only shown, and each one noted has to be written. */
const NOTE_KEY_EVERY_MS = 60_000;
/** A sign-in slides with every request, right to the second, or to a hundredth of a life that is short. */
const EXTEND_EVERY_MS = 1000;

/**
 * Turns a presented credential into a Caller, or throws `Refusal` (401) or `Unavailable` (503). The only maker of
 * Callers. Answers without a promise whenever nothing has to be awaited, which is every warm request.
 *
 * Precedence: key pair, then bearer token, then cookie; the strongest one present decides alone, a failing pair or
 * bearer never falls back (specification 5.1.1). Half a pair is a failing pair (contract 1).
 */
export class Authenticator {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #signer: TokenSigner;
  readonly #bearers: BearerProver;
  readonly #signIns: SignInProver;
  readonly #uses: UseTrail;
  readonly #extendEveryMs: number;

  constructor(stores: Stores, clock: Clock, signer: TokenSigner, audit: Audit, signInTtlMs: number) {
    this.#stores = stores;
    this.#clock = clock;
    this.#signer = signer;
    this.#bearers = new BearerProver(signer);
    this.#signIns = new SignInProver(stores, signInTtlMs);
    this.#uses = new UseTrail(audit, clock);
    this.#extendEveryMs = Math.min(EXTEND_EVERY_MS, signInTtlMs / 100);
  }

  authenticate(presented: Presented, from: RequestOrigin = LOCAL_ORIGIN): Caller | Promise<Caller> {
    if (presented.accessKey !== undefined || presented.token !== undefined) {
      return this.#admit(
        proveKeyPair(presented.accessKey, presented.token, this.#stores.apiTokens),
        'key',
        from,
      );
    }
    if (presented.bearer !== undefined) {
      const proof = this.#bearers.prove(presented.bearer);
      return proof instanceof Promise
        ? proof.then((result) => this.#admit(result, 'bearer', from))
        : this.#admit(proof, 'bearer', from);
    }
    if (presented.cookie !== undefined) {
      return this.#admit(this.#signIns.prove(presented.cookie, this.#clock.now()), 'sign-in', from);
    }
    throw new Refusal('unauthenticated', 'no credential');
  }

  /** The session token of a test session's capabilities; no API route accepts it. */
  async authenticateSessionToken(token: string, from: RequestOrigin = LOCAL_ORIGIN): Promise<Caller> {
    return this.#admit(await proveSessionToken(token, this.#signer), 'session-token', from);
  }

  /** Whether what stood behind a caller still stands: asked again by tickets and open connections. */
  stillGood(caller: Caller): boolean {
    const now = this.#clock.now();
    const { account: then, credential } = caller;
    if (credential.kind === 'none') return true;
    const account = this.#stores.accounts.byId(then.id);
    if (account?.status !== 'Active') return false;
    if (credential.kind === 'sign-in') return this.#signIns.isOpen(credential.id, now);
    if (caller.expiresAt !== null && now >= caller.expiresAt) return false;
    if (credential.kind === 'key') {
      return account.accessKey === then.accessKey && this.#stores.apiTokens.byId(credential.id) !== undefined;
    }
    const fromSignIn = credential.kind === 'bearer' && credential.fromSignIn;
    return !fromSignIn || account.signInEpoch === then.signInEpoch;
  }

  /** The steps every kind goes through: account, status, expiry, effective scopes, last use. */
  #admit(proof: ProofResult, kind: Credential['kind'], from: RequestOrigin): Caller {
    const word = PUBLIC_WORD[kind];
    if (proof instanceof Unproven) throw new Refusal(word, proof.reason);
    const now = this.#clock.now();
    if (proof.expiresAt !== null && now >= proof.expiresAt) throw new Refusal(word, 'credential expired');
    const account = this.#stores.accounts.byId(proof.accountId);
    if (account === undefined) throw new Refusal(word, 'account deleted');
    if (account.status !== 'Active') throw new Refusal(word, 'account inactive');
    if (proof.fits !== undefined && !proof.fits(account)) throw new Refusal(word, 'credential replaced');
    this.#noteUse(proof, now);
    const caller: Caller = {
      account,
      credential: proof.credential,
      scopes:
        proof.granted === 'role' ? roleAllowance(account.role) : effectiveScopes(proof.granted, account.role),
      expiresAt: proof.expiresAt,
      grantsUntil: proof.grantsUntil,
      teamId: proof.teamId,
      from,
    };
    this.#uses.note(caller);
    return caller;
  }

  #noteUse({ credential, expiresAt, usedAt }: Proof, now: number): void {
    const since = usedAt === null ? Number.POSITIVE_INFINITY : now - usedAt;
    if (credential.kind === 'key' && since >= NOTE_KEY_EVERY_MS) {
      this.#stores.apiTokens.touch(credential.id, now);
    }
    if (credential.kind === 'sign-in' && expiresAt !== null && since >= this.#extendEveryMs) {
      this.#signIns.extend(credential.id, now, expiresAt);
    }
  }
}
