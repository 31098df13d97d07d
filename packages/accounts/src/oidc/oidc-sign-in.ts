import type { Account, RequestOrigin } from '@svc/auth-core';
import type { AccountTransaction } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';
import { refusedFrom } from '../rules/audit-actors.ts';
import type { OpenedSignIn } from '../sign-in/sign-in.ts';
import { linkIdentity, type PendingLink } from './link-identity.ts';
import { OidcProvider } from './provider.ts';
import { endSignInsOf } from './provider-logout.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';
import { SealedCookie } from './sealed-cookie.ts';
import { type OidcProviderOptions, type OidcTransaction, ProviderError } from './types.ts';

/**
 * Reason why a sign-in through the provider failed. The browser is sent to the sign-in page with this reason in the
 * address (contract 10.1).
 */
type OidcProblem = 'oidc_failed' | 'oidc_no_account' | 'oidc_link' | 'oidc_unavailable';

export interface OidcSignInTools
  extends Pick<AccountTools, 'stores' | 'clock' | 'random' | 'audit' | 'log' | 'cascade'> {
  readonly provider: OidcProviderOptions;
  readonly accounts: ProviderSignIn;
}

/** Content of the encrypted cookie that the browser keeps while the person signs in at the provider. */
interface KeptTransaction extends OidcTransaction {
  readonly returnTo: string;
}

export type OidcStart =
  | { readonly address: string; readonly transaction: string }
  | { readonly problem: 'oidc_failed' | 'oidc_unavailable' };

export type OidcCallback =
  | { readonly opened: OpenedSignIn; readonly returnTo: string }
  /**
   * `link` is the value of the cookie `svc_oidc_link`. It is present if the person is not linked to an account yet, but
   * may link one by signing in to it with its password (see `linking`).
   */
  | { readonly problem: OidcProblem; readonly link?: string };

interface CallbackInput {
  /** Query string with which the provider redirected the browser back. */
  readonly query: string;
  /** Value of the cookie that `start` returned as `transaction`, or undefined if the browser sent none. */
  readonly transaction: string | undefined;
  readonly from: RequestOrigin;
  readonly userAgent: string | null;
}

/**
 * Carries out sign-ins and logouts through the OpenID provider. This class speaks with the provider; classes of
 * `@svc/auth-core` change accounts and sign-ins.
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
   * Begins a sign-in. With `fresh`, the provider has to authenticate the person again (contract 10).
   * @param returnTo page of the dashboard to which the browser returns after the sign-in
   * @returns the address of the provider to which the browser must go, with a cookie value for `callback`; or the
   * reason why no sign-in can begin
   */
  async start(
    returnTo: string,
    { fresh, from }: { readonly fresh: boolean; readonly from: RequestOrigin },
  ): Promise<OidcStart> {
    try {
      const { address, transaction } = await this.#provider.begin(fresh);
      return { address: address.href, transaction: this.#transactions.seal({ ...transaction, returnTo }) };
    } catch (error) {
      return { problem: this.#problemOf(error, from) };
    }
  }

  /** @returns whether the cookie belongs to a sign-in that began here and has not ended */
  isPending(transaction: string | undefined): boolean {
    const opened = this.#transactions.open(transaction);
    return opened !== null && !this.#tools.stores.replay.isSpent(`oidc-transaction ${opened.id}`);
  }

  /**
   * Completes a sign-in when the provider has redirected the browser back. The cookie of a sign-in is accepted only
   * once, even if the sign-in fails.
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
   * Reads the cookie `svc_oidc_link` of a person who has signed in at the provider but is not linked to an account yet.
   * @returns a function to call when somebody signs in to an account with its password, or undefined if the cookie is
   * not valid. If the cookie was made for this account, the function links the person to the account.
   */
  linking(
    cookie: string,
    from: RequestOrigin,
  ): ((tx: AccountTransaction, account: Account) => void) | undefined {
    const pending = this.#links.open(cookie);
    if (pending === null) return undefined;
    const { content, id, endsAt } = pending;
    return (tx, account) => {
      const isOwn = account.id === content.accountId;
      if (!isOwn || !tx.replay.spend(`oidc-link ${id}`, endsAt)) return;
      // Another person may have been linked to the account since the cookie was made. In this case, do not link this
      // person.
      if (tx.identities.listOf(account.id).length === 0)
        linkIdentity(tx, this.#tools, content, { proof: 'password', from });
    };
  }

  /**
   * Ends the sign-ins to which a logout token of the provider refers, and the tokens that were created from these
   * sign-ins.
   * @returns `refused` if the logout token is invalid or was used before, `unavailable` if the provider's keys could
   * not be fetched
   */
  async logout(token: string, from: RequestOrigin): Promise<'ended' | 'refused' | 'unavailable'> {
    const { audit, log } = this.#tools;
    const refuse = (reason: string): 'refused' => {
      audit.recordRefusal('authn_logout', { ...refusedFrom(from), reason });
      return 'refused';
    };
    try {
      const ended = endSignInsOf(await this.#provider.verifyLogout(token), from, this.#tools);
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
    // Refuse a request without `state`, which cannot come from the provider. Such a request must not use up the cookie
    // of the sign-in.
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
