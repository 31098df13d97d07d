import type { Caller, Cascade } from '@svc/auth-core';
import { actorOf, type Reauthorizing, Refusal, Rejected, reauthorize } from '@svc/auth-core';
import { ADMIN, FRESH_SIGN_IN } from '@svc/contract';
import { otherAccount } from '../rules/change-user.ts';
import { checkName } from '../rules/name.ts';
import type { Passkey, PasskeyTransaction } from './passkey-ports.ts';
import type { RelyingParty } from './relying-party.ts';
import { type PasskeyTools, takeChallenge } from './verify-passkey.ts';
import { type AllowedSignIns, checkOtherWayIn } from './ways-in.ts';

/** Maximum number of passkeys of an account. */
const MOST_PASSKEYS = 20;

type Tools = PasskeyTools &
  Reauthorizing & {
    readonly allowed: AllowedSignIns;
    /** Ends the tokens that were minted from a sign-in, directly or through other tokens. */
    readonly cascade: Pick<Cascade, 'signInEnded'>;
  };

/**
 * Lets users add, rename and remove their own passkeys, and lets Admins remove passkeys of other users (contract 10.2).
 */
export class OwnPasskeys {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  list(caller: Caller): Passkey[] {
    return this.#tools.stores.passkeys.listOf(caller.account.id);
  }

  /** Returns the options with which a browser creates a passkey for the caller. */
  async options(caller: Caller, party: RelyingParty): Promise<object> {
    const { stores, challenges, ceremonies } = this.#tools;
    const { id, email, name } = caller.account;
    const existing = stores.passkeys.listOf(id);
    checkRoom(existing);
    const handle = stores.passkeys.handleOf(id) ?? this.#newHandle(id);
    const challenge = challenges.issue({ registerFor: id });
    return (await ceremonies()).registrationOptions({ party, challenge, handle, email, name, existing });
  }

  /** Adds a passkey that a browser created with options for this caller. */
  async add(
    caller: Caller,
    { name: wanted, response }: { readonly name: string; readonly response: object },
    party: RelyingParty,
  ): Promise<Passkey> {
    const { stores, ceremonies, clock, random, audit } = this.#tools;
    const name = checkName(wanted);
    const { id: accountId } = caller.account;
    checkRoom(stores.passkeys.listOf(accountId));
    const expected = takeChallenge(this.#tools, response, party, { registerFor: accountId });
    if (expected instanceof Rejected) throw unusable(expected);
    const credential = await (await ceremonies()).verifyRegistration(response, expected);
    if (credential instanceof Rejected) throw unusable(credential);
    return stores.transaction((tx) => {
      const now = reauthorize(caller, FRESH_SIGN_IN, this.#tools);
      checkRoom(stores.passkeys.listOf(accountId));
      const passkey: Passkey = {
        ...credential,
        ...{ id: random.uuid(), accountId, name, rpId: party.rpId },
        ...{ createdAt: clock.now(), lastUsedAt: null },
      };
      tx.passkeys.insert(passkey);
      audit.record(tx, 'authn_passkey_added', { ...actorOf(now), target: passkey.id, reason: name });
      return passkey;
    });
  }

  rename(caller: Caller, id: string, wanted: string): Passkey {
    const { stores, audit } = this.#tools;
    const name = checkName(wanted);
    return stores.transaction((tx) => {
      const passkey = this.checkOwn(caller, id);
      tx.passkeys.rename(id, name);
      const reason = `${passkey.name} to ${name}`;
      audit.record(tx, 'authn_passkey_renamed', { ...actorOf(caller), target: id, reason });
      return { ...passkey, name };
    });
  }

  remove(caller: Caller, id: string, { rpId }: Pick<RelyingParty, 'rpId'>): void {
    this.#tools.stores.transaction((tx) => {
      const passkey = this.checkOwn(caller, id);
      checkOtherWayIn(this.#tools, caller.account, id, rpId);
      this.#remove(tx, caller, passkey);
    });
  }

  /**
   * Returns the caller's own passkey. Throws the refusal for an unknown passkey if the id belongs to another account.
   */
  checkOwn(caller: Caller, id: string): Passkey {
    const passkey = this.#tools.stores.passkeys.byId(id);
    if (passkey?.accountId !== caller.account.id) throw new Refusal('not_found');
    return passkey;
  }

  /** Returns the passkeys of a user. Throws a refusal if the caller may not change the user's account. */
  listOf(caller: Caller, userId: string): Passkey[] {
    this.checkReach(caller, userId);
    return this.#tools.stores.passkeys.listOf(userId);
  }

  removeOf(caller: Caller, userId: string, id: string): void {
    const { stores } = this.#tools;
    stores.transaction((tx) => {
      const now = reauthorize(caller, ADMIN, this.#tools);
      this.checkReach(now, userId);
      const passkey = stores.passkeys.byId(id);
      if (passkey?.accountId !== userId) throw new Refusal('not_found');
      this.#remove(tx, now, passkey);
    });
  }

  /**
   * Throws a refusal if there is no such user, if the user is the caller, or if the caller is not allowed to change the
   * user's account. Users remove their own passkeys with `remove`.
   */
  checkReach(caller: Caller, userId: string): void {
    otherAccount(this.#tools.stores, caller, userId);
  }

  #remove(tx: PasskeyTransaction, caller: Caller, { id, name, accountId }: Passkey): void {
    const { audit, cascade } = this.#tools;
    tx.passkeys.remove(id);
    // End what the passkey opened, because it may be removed for the reason that somebody else has it.
    for (const signIn of tx.signIns.listOf(accountId)) {
      if (signIn.openedWith.at(-1) !== id) continue;
      tx.signIns.end(signIn.id);
      cascade.signInEnded(tx, signIn.id, accountId);
    }
    const reason = accountId === caller.account.id ? name : `${name} of ${accountId}`;
    audit.record(tx, 'authn_passkey_removed', { ...actorOf(caller), target: id, reason });
  }

  #newHandle(accountId: string): string {
    const { stores, random } = this.#tools;
    return stores.transaction((tx) => {
      const handle = Buffer.from(random.bytes(64)).toString('base64url');
      tx.passkeys.saveHandle(accountId, handle);
      return handle;
    });
  }
}

function checkRoom(existing: readonly Passkey[]): void {
  if (existing.length < MOST_PASSKEYS) return;
  throw new Refusal('too_many_passkeys', 'too many passkeys', { limit: MOST_PASSKEYS });
}

function unusable({ reason }: Rejected): Refusal {
  return new Refusal('invalid_passkey', reason);
}
