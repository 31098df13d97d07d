import {
  type Account,
  type Audit,
  type Clock,
  type Log,
  linkIdentity,
  type OpenedSignIn,
  type PendingLink,
  type ProviderLogouts,
  type ProviderSignIn,
  type Random,
  type RequestOrigin,
  refusedFrom,
  type Stores,
  type StoreTransaction,
} from '@svc/auth-core';
import { OidcProvider } from './provider.ts';
import { SealedCookie } from './sealed-cookie.ts';
import { type OidcProviderOptions, type OidcTransaction, ProviderError } from './types.ts';

/** Reason why a sign-in through the provider failed, as shown in the address of the sign-in page (contract 10.1). */
type OidcProblem = 'oidc_failed' | 'oidc_no_account' | 'oidc_link' | 'oidc_unavailable';

export interface OidcSignInTools {
  readonly provider: OidcProviderOptions;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
  readonly log: Log;
  readonly accounts: ProviderSignIn;
  readonly logouts: ProviderLogouts;
}

/** Content of the sealed cookie that the browser stores while the person signs in at the provider. */
interface KeptTransaction extends OidcTransaction {
  readonly returnTo: string;
}

export type OidcStart =
  | { readonly address: string; readonly transaction: string }
  | { readonly problem: 'oidc_failed' | 'oidc_unavailable' };

export type OidcCallback =
  | { readonly opened: OpenedSignIn; readonly returnTo: string }
  /** `link` is the value of the cookie `svc_oidc_link`, which names the person to link (see `linking`). */
  | { readonly problem: OidcProblem; readonly link?: string };

interface CallbackInput {
  /** Query string of the browser's request. */
  readonly query: string;
  /** Value of the transaction cookie, or undefined if the browser sent none. */
  readonly transaction: string | undefined;
  readonly from: RequestOrigin;
  readonly userAgent: string | null;
}

/**
 * Carries out sign-ins through the provider. The routes call this class, and this class calls the flows of
 * `@svc/auth-core` that change accounts and sign-ins.
 */
export class OidcSignIn {
  readonly #tools: OidcSignInTools;
  readonly #provider: OidcProvider;
  readonly #transactions: SealedCookie<KeptTransaction>;
  readonly #links: SealedCookie<PendingLink>;

  constructor(tools: OidcSignInTools) {
    this.#tools = tools;
    this.#provider = new OidcProvider(tools.provider);
    this.#transactions = new SealedCookie('oidc transaction', tools);
    this.#links = new SealedCookie('oidc link', tools);
  }

  /**
   * Begins a sign-in: returns the provider's address for the browser. `returnTo` is the dashboard page that the browser
   * gets afterwards.
   */
  async start(returnTo: string, from: RequestOrigin): Promise<OidcStart> {
    try {
      const { address, transaction } = await this.#provider.begin();
      return { address: address.href, transaction: this.#transactions.seal({ ...transaction, returnTo }) };
    } catch (error) {
      return { problem: this.#problemOf(error, from) };
    }
  }

  /**
   * Completes a sign-in when the provider redirects the browser back. Each transaction is accepted only once, even if
   * the sign-in fails.
   */
  async callback({ query, transaction, from, userAgent }: CallbackInput): Promise<OidcCallback> {
    try {
      const { returnTo, ...kept } = this.#spend(transaction, query);
      const person = await this.#provider.finish(query, kept);
      const result = this.#tools.accounts.open(person, from, userAgent);
      if (result.kind === 'refused') return { problem: result.problem };
      if (result.kind === 'link') return { problem: 'oidc_link', link: this.#links.seal(result.link) };
      return { opened: result.opened, returnTo };
    } catch (error) {
      return { problem: this.#problemOf(error, from) };
    }
  }

  /**
   * Reads the cookie of a person who has signed in at the provider and is not linked to an account yet.
   * @returns a function to call when an account signs in with its password. It links the person to this account if the
   * cookie was made for this account. Undefined if the cookie is not valid.
   */
  linking(
    cookie: string,
    from: RequestOrigin,
  ): ((tx: StoreTransaction, account: Account) => void) | undefined {
    const pending = this.#links.open(cookie);
    if (pending === null) return undefined;
    const { content, id, endsAt } = pending;
    return (tx, account) => {
      const isOwn = account.id === content.accountId;
      if (!isOwn || !tx.replay.spend(`oidc-link ${id}`, endsAt)) return;
      // Check again, because another person may have been linked to the account in the meantime.
      if (tx.identities.listOf(account.id).length === 0)
        linkIdentity(tx, this.#tools, content, { proof: 'password', from });
    };
  }

  /** Ends the sign-ins that a logout token of the provider names, and the tokens minted from them. */
  async logout(token: string, from: RequestOrigin): Promise<'ended' | 'refused' | 'unavailable'> {
    const { audit, log, logouts } = this.#tools;
    const refuse = (reason: string): 'refused' => {
      audit.recordRefusal('authn_logout', { ...refusedFrom(from), reason });
      return 'refused';
    };
    try {
      const ended = logouts.end(await this.#provider.verifyLogout(token), from);
      return ended === null ? refuse('The logout token was used before') : 'ended';
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind === 'failed') return refuse(error.message);
      log.warn(`A logout of the OpenID provider could not be verified: ${error.message}`);
      return 'unavailable';
    }
  }

  #spend(cookie: string | undefined, query: string): KeptTransaction {
    const { stores, clock } = this.#tools;
    const opened = this.#transactions.open(cookie);
    if (opened === null) throw new ProviderError('failed', 'The browser has no transaction of a sign-in');
    const { id, endsAt, content } = opened;
    // Refuse a request without `state` before anything is stored, because the request cannot belong to a transaction.
    if (!new URLSearchParams(query).has('state'))
      throw new ProviderError('failed', 'The browser came back without a state');
    const isFirst =
      clock.now() < endsAt && stores.transaction((tx) => tx.replay.spend(`oidc-transaction ${id}`, endsAt));
    if (!isFirst) throw new ProviderError('failed', 'The transaction of the sign-in was used before');
    return content;
  }

  #problemOf(error: unknown, from: RequestOrigin): 'oidc_failed' | 'oidc_unavailable' {
    if (!(error instanceof ProviderError)) throw error;
    const { audit, log } = this.#tools;
    audit.recordRefusal('authn_login_fail', { ...refusedFrom(from), reason: `provider: ${error.message}` });
    if (error.kind === 'failed') return 'oidc_failed';
    log.warn(`The OpenID provider cannot be reached: ${error.message}`);
    return 'oidc_unavailable';
  }
}
