import { ANY_CALLER, type TicketAudience } from '@svc/contract';
import { accountThen } from '../credentials/account-then.ts';
import type { Authenticator } from '../credentials/authenticate.ts';
import { sourceClaims } from '../credentials/source-sign-in.ts';
import { Refusal } from '../errors.ts';
import { type Reauthorizing, reauthorize } from '../flows/reauthorize.ts';
import type { TokenMakingLimit } from '../limits/token-making.ts';
import type { Stores } from '../ports/index.ts';
import { type Caller, NO_CREDENTIAL, scopesWithRole } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { scopeList, scopeSet } from '../scopes.ts';
import { secretHash } from '../secrets/opaque.ts';
import type { Claims } from '../tokens/claims.ts';
import type { Grant, TokenSigner } from '../tokens/signer.ts';

/** Lifetimes of tickets in seconds, by audience (specification 8.2). */
const LIFETIMES: Readonly<Record<TicketAudience, number>> = {
  'svc-stream': 60,
  'svc-adb': 60,
  'svc-usb': 60,
  'svc-events': 60,
  'svc-app-download': 600,
};

/** What a ticket gives access to: the stream of one device, the download of one app, or the live events. */
export interface TicketUse {
  readonly audience: TicketAudience;
  /** Id of the device or app that the ticket is for, or null if it is for live events. */
  readonly resource: string | null;
}

export interface IssuedTicket {
  readonly ticket: string;
  /** Lifetime of the ticket in seconds. */
  readonly expiresIn: number;
}

/** A ticket that is valid and has not been spent yet. Only `Tickets.check` creates one. */
export interface CheckedTicket {
  /** Caller who requested the ticket, with the current account and scopes. */
  readonly caller: Caller;
  readonly id: string;
  /** Time (ms since 1970) at which the ticket expires. */
  readonly expiresAt: number;
}

interface Tools extends Reauthorizing {
  readonly authenticator: Pick<Authenticator, 'stillGood' | 'checkStillGood'>;
  readonly stores: Pick<Stores, 'accounts' | 'replay' | 'transaction'>;
  readonly signer: TokenSigner;
  /** Whether sign-in is turned off, so that callers request tickets without a credential (specification 5.12). */
  readonly authDisabled: boolean;
  /** Limit of bearer tokens and tickets per account, or absent for no limit. */
  readonly minting?: Pick<TokenMakingLimit, 'take'>;
}

/**
 * Issues and redeems signed tickets. A ticket gives access to one resource, once, also across a restart, and only while
 * the credential that requested it is valid (specification 5.8, contract 2 and 4). Logs never contain a ticket, at most
 * its id.
 */
export class Tickets {
  readonly counts = { issued: 0, redeemed: 0, refused: 0 };
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Issues a ticket. Throws the refusal `expiry_exceeds_credential` if the caller's credential expires within a second,
   * and `Unavailable` if there is no signing key.
   */
  async issue(caller: Caller, { audience, resource }: TicketUse): Promise<IssuedTicket> {
    const { signer, minting } = this.#tools;
    minting?.take(caller.account.id);
    const grant: Grant = {
      sub: caller.account.id,
      aud: audience,
      scopes: scopeList(caller.scopes),
      lifetime: LIFETIMES[audience],
      until: caller.grantsUntil,
      ...sourceClaims(caller),
      ...(caller.teamId === null ? {} : { team: caller.teamId }),
      ...(resource === null ? {} : { res: resource }),
      holder: {
        credential: caller.credential,
        expiresAt: caller.expiresAt,
        accessKeyHash: secretHash(caller.account.accessKey),
      },
    };
    if (signer.lifetimeOf(grant) < 1) throw new Refusal('expiry_exceeds_credential');
    const { token, claims } = await signer.mint(grant);
    reauthorize(caller, ANY_CALLER, this.#tools);
    this.counts.issued += 1;
    return { ticket: token, expiresIn: claims.exp - claims.iat };
  }

  /**
   * Checks that the ticket is valid for this use, with the current state of its account and credential. The ticket
   * stays unspent, so that it is not lost if another check fails: call `spend` after all other checks. Throws the
   * refusal `invalid ticket` if the ticket is not valid, and `Unavailable` if it cannot be checked.
   */
  async check(ticket: string | undefined, use: TicketUse, from: RequestOrigin): Promise<CheckedTicket> {
    try {
      return await this.#check(ticket, use, from);
    } catch (error) {
      if (error instanceof Refusal) this.counts.refused += 1;
      throw error;
    }
  }

  async #check(
    ticket: string | undefined,
    { audience, resource }: TicketUse,
    from: RequestOrigin,
  ): Promise<CheckedTicket> {
    if (ticket === undefined) throw invalid('no ticket');
    const claims = await this.#tools.signer.verify(ticket, [audience]);
    if (typeof claims === 'string') throw invalid(claims);
    if ((claims.res ?? null) !== resource) throw invalid('for something else');
    if (this.#tools.stores.replay.isSpent(claims.jti)) throw invalid('spent');
    return { caller: this.#callerOf(claims, from), id: claims.jti, expiresAt: claims.exp * 1000 };
  }

  /**
   * Spends the ticket. If several calls spend the same ticket at the same time, one returns and the others throw
   * `invalid ticket`.
   */
  spend({ id, expiresAt }: CheckedTicket): void {
    const first = this.#tools.stores.transaction((tx) => tx.replay.spend(id, expiresAt));
    this.counts[first ? 'redeemed' : 'refused'] += 1;
    if (!first) throw invalid('spent');
  }

  #callerOf({ sub, scopes, sie, team, holder }: Claims, from: RequestOrigin): Caller {
    const { stores, authenticator, authDisabled } = this.#tools;
    const account = stores.accounts.byId(sub);
    if (account?.status !== 'Active') throw invalid('account deleted or inactive');
    if (holder === undefined) throw invalid('without holder');
    const isOpen = holder.credential.kind === NO_CREDENTIAL.kind;
    if (isOpen && !authDisabled) throw invalid('issued while sign-in was off');
    const caller: Caller = {
      account,
      credential: isOpen ? NO_CREDENTIAL : holder.credential,
      scopes: scopesWithRole({ credential: holder.credential, scopes: scopeSet(scopes) }, account.role),
      expiresAt: holder.expiresAt,
      grantsUntil: holder.expiresAt,
      teamId: team ?? null,
      extended: false,
      from,
    };
    const { accessKeyHash } = holder;
    const then = accountThen(account, { signInEpoch: sie ?? account.signInEpoch, accessKeyHash });
    if (!authenticator.stillGood({ ...caller, account: then })) throw invalid('its credential has ended');
    return caller;
  }
}

function invalid(reason: string): Refusal {
  return new Refusal('invalid ticket', `ticket: ${reason}`);
}
