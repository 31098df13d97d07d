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

/** Why a sign-in through the provider failed, as the address of the sign-in page names it (contract 10.1). */
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

/** What the browser keeps while its person is at the provider. */
interface KeptTransaction extends OidcTransaction {
  readonly returnTo: string;
}

export type OidcStart =
  | { readonly address: string; readonly transaction: string }
  | { readonly problem: 'oidc_failed' | 'oidc_unavailable' };

export type OidcCallback =
  | { readonly opened: OpenedSignIn; readonly returnTo: string }
  | { readonly problem: OidcProblem /** Value of the cookie of the link. */; readonly link?: string };

interface CallbackInput {
  /** Query of the browser's request. */
  readonly query: string;
  /** Value of the cookie of the transaction, or undefined if the browser sent none. */
  readonly transaction: string | undefined;
  readonly from: RequestOrigin;
  readonly userAgent: string | null;
}

/** Sign-in through the provider, between the routes and the accounts. */
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

  /** Sends a browser to the provider. `returnTo` is the own page to which the sign-in leads. */
  async start(returnTo: string, from: RequestOrigin): Promise<OidcStart> {
    try {
      const { address, transaction } = await this.#provider.begin();
      return { address: address.href, transaction: this.#transactions.seal({ ...transaction, returnTo }) };
    } catch (error) {
      return { problem: this.#problemOf(error, from) };
    }
  }

  /** Signs in the person whom the provider has sent back. Each transaction is accepted once, whatever the result is. */
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
   * @returns the step that links the person of a cookie when the owner of the account signs in with the password, or
   * undefined if the cookie holds no pending link
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
      // The account may have been linked to somebody else meanwhile.
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
    // Nothing is stored for a request that cannot belong to the transaction.
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
