import { origin, Refusal, Rejected, type RequestOrigin } from '@svc/auth-core';
import type { AuditEventName } from '@svc/contract';
import type { AccountTools } from '../ports/tools.ts';
import { refusedFrom } from '../rules/audit-actors.ts';
import type { SignInProof } from '../sign-in/sign-in.ts';
import type { ChallengePurpose, PasskeyChallenges } from './passkey-challenges.ts';
import type {
  ExpectedResponse,
  LoadCeremonies,
  Passkey,
  PasskeyStores,
  PasskeyTransaction,
  PasskeyUse,
} from './passkey-ports.ts';
import type { RelyingParty } from './relying-party.ts';

/** Dependencies of every flow about passkeys. */
export interface PasskeyTools extends Pick<AccountTools, 'clock' | 'random' | 'audit'> {
  readonly stores: PasskeyStores;
  readonly challenges: PasskeyChallenges;
  readonly ceremonies: LoadCeremonies;
}

export interface PasskeyProof extends SignInProof {
  readonly passkey: Passkey;
  /** Every transaction of the server is one of `PasskeyStores`. */
  confirm(tx: PasskeyTransaction): void;
}

/**
 * Verifies that a client holds a passkey. All failures get the same refusal, so that the response does not show whether
 * an account or a passkey exists (contract 10.2).
 */
export class PasskeyVerifier {
  readonly #tools: PasskeyTools;

  constructor(tools: PasskeyTools) {
    this.#tools = tools;
  }

  /**
   * Returns the options with which a browser requests a signature by a passkey. The options are the same for every
   * account.
   */
  async options(party: RelyingParty): Promise<object> {
    const { challenges, ceremonies } = this.#tools;
    return (await ceremonies()).authenticationOptions({ party, challenge: challenges.issue('authenticate') });
  }

  /**
   * Verifies the response of a browser. The challenge counts as used even if the rest of the response is wrong.
   * @param failure name of the audit event for a refused response
   */
  async verify(
    response: object,
    party: RelyingParty,
    from: RequestOrigin,
    failure: AuditEventName = 'authn_login_fail',
  ): Promise<PasskeyProof> {
    const { stores, ceremonies } = this.#tools;
    const expected = takeChallenge(this.#tools, response, party, 'authenticate');
    if (expected instanceof Rejected) return this.#refuse(expected.reason, null, from, failure);
    const { id } = response as { id?: unknown };
    const passkey = typeof id === 'string' ? stores.passkeys.byCredential(id) : undefined;
    if (passkey === undefined) return this.#refuse('unknown passkey', null, from, failure);
    const handle = (response as { response?: { userHandle?: unknown } }).response?.userHandle ?? '';
    if (handle !== '' && handle !== stores.passkeys.handleOf(passkey.accountId)) {
      return this.#refuse('passkey of another user handle', passkey, from, failure);
    }
    const found = await (await ceremonies()).verifyAuthentication(response, expected, passkey);
    if (found instanceof Rejected) return this.#refuse(found.reason, passkey, from, failure);
    const account = stores.accounts.byId(passkey.accountId);
    if (account?.status !== 'Active') return this.#refuse('account inactive', passkey, from, failure);
    return { passkey, account, confirm: (tx) => this.#confirm(tx, passkey, found, from, failure) };
  }

  /**
   * Checks within the transaction that the passkey still exists. If the passkey counts its signatures, also checks that
   * the count has increased, because a copy of the passkey would show an old count. Stores the new count.
   */
  #confirm(
    tx: PasskeyTransaction,
    { id, credentialId }: Passkey,
    { counter, backedUp }: Omit<PasskeyUse, 'lastUsedAt'>,
    from: RequestOrigin,
    failure: AuditEventName,
  ): void {
    const { clock, audit } = this.#tools;
    const passkey = tx.passkeys.byCredential(credentialId);
    if (passkey === undefined || passkey.id !== id)
      this.#refuse('passkey removed meanwhile', null, from, failure);
    else if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) {
      const reason = `counter ${counter} after ${passkey.counter}`;
      const { accountId: actor } = passkey;
      audit.recordBestEffort('authn_passkey_clone', {
        ...origin(from),
        ...{ outcome: 'failure', actor, target: id, reason },
      });
      this.#refuse(`passkey copied: ${reason}`, passkey, from, failure);
    } else tx.passkeys.noteUse(id, { counter, backedUp, lastUsedAt: clock.now() });
  }

  #refuse(reason: string, passkey: Passkey | null, from: RequestOrigin, failure: AuditEventName): never {
    this.#tools.audit.recordRefusal(failure, {
      ...refusedFrom(from),
      triedAccount: passkey?.accountId ?? null,
      target: passkey?.id ?? null,
      reason,
    });
    throw new Refusal('invalid credentials', reason);
  }
}

/**
 * Checks the challenge and the page's origin in the data that the authenticator signed, and marks the challenge as
 * used.
 * @returns the values with which the signature has to be checked, or why the response is rejected
 */
export function takeChallenge(
  { stores, challenges }: Pick<PasskeyTools, 'stores' | 'challenges'>,
  response: object,
  party: RelyingParty,
  purpose: ChallengePurpose,
): ExpectedResponse | Rejected {
  const signed = clientDataOf(response);
  if (signed === undefined) return new Rejected('response without client data');
  const { challenge, origin: page, crossOrigin, topOrigin } = signed;
  if (typeof challenge !== 'string') return new Rejected('response without challenge');
  const isTaken = stores.transaction((tx) => challenges.take(tx, challenge, purpose));
  if (!isTaken) return new Rejected('challenge unknown, used or expired');
  if (typeof page !== 'string' || !party.accepts(page)) return new Rejected('page of another origin');
  // Reject a passkey response that was made inside a frame: a site that shows this server's page in a frame could trick
  // the user into signing in with a passkey.
  if (crossOrigin === true || topOrigin !== undefined) return new Rejected('page in a frame of another site');
  return { rpId: party.rpId, origin: page, challenge };
}

function clientDataOf(response: object): Readonly<Record<string, unknown>> | undefined {
  const { clientDataJSON } = (response as { response?: { clientDataJSON?: unknown } }).response ?? {};
  if (typeof clientDataJSON !== 'string') return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
