import type { Authenticator, Caller, IssueBearer, RequestOrigin } from '@svc/auth-core';
import { actorOf, origin, pairOf, Refusal, reauthorize } from '@svc/auth-core';
import { isScope, type Scope, SIGN_IN_ONLY } from '@svc/contract';
import { hasControl } from '@svc/module';
import type { AttemptLimit } from '../attempts/attempt-limit.ts';
import { FailureCounter } from '../attempts/failure-counter.ts';
import type { AccountTools } from '../ports/tools.ts';
import { refusedFrom } from '../rules/audit-actors.ts';
import { checkName } from '../rules/name.ts';
import { OAuthRefusal } from '../rules/oauth-refusal.ts';
import type { ApiTokens, IssuedApiToken } from '../tokens/api-tokens.ts';
import {
  CODE_LIFETIME_MS,
  POLL_INTERVAL,
  type RedeemedCode,
  TerminalCodes,
  type WaitingTerminal,
} from './terminal-codes.ts';

/** Id of the only client that may request a code (contract 10.7). It is a public client, so it has no secret. */
const TERMINAL_CLIENT = 'svc-cli';
/** Lifetime of the Profile token that a terminal gets, in ms (contract 10.7). */
const TOKEN_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

export interface TerminalRequest {
  readonly clientId: string | undefined;
  /** Name that the terminal states for itself, usually the name of its machine. */
  readonly clientName: string | undefined;
  /** Scopes that the terminal requests, separated by spaces (RFC 8628 3.1). */
  readonly scope: string | undefined;
  /** Network of the address that the client states. The number of waiting codes is limited for each network. */
  readonly network: string;
  /** Network of the sender of the connection. */
  readonly sender: string;
}

export interface StartedTerminalSignIn {
  readonly deviceCode: string;
  readonly userCode: string;
  /** Lifetime of the codes in seconds. */
  readonly expiresIn: number;
  /** Minimum seconds between two polls. */
  readonly interval: number;
}

/** Credentials of a terminal whose code was approved. The server returns them only once. */
export interface TerminalCredentials {
  readonly bearer: string;
  /** Lifetime of the bearer token in seconds. */
  readonly expiresIn: number;
  readonly accessKey: string;
  readonly apiToken: string;
  /** Expiry of the API token in ms since 1970. */
  readonly apiTokenExpiresAt: number;
}

interface Tools extends Pick<AccountTools, 'stores' | 'clock' | 'random' | 'audit'> {
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'checkStillGood'>;
  readonly apiTokens: ApiTokens;
  readonly bearerTokens: IssueBearer;
  /** Limit of wrong user codes per account, or null for no limit. */
  readonly guesses: AttemptLimit | null;
}

/**
 * Signs in a terminal: the terminal shows a user code, a person who is signed in approves the code on the page
 * `/svc/device`, and the terminal polls until it gets its own credentials (RFC 8628, contract 10.7).
 */
export class TerminalSignIns {
  readonly #tools: Tools;
  readonly #codes: TerminalCodes;
  readonly #guesses: FailureCounter | null;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#codes = new TerminalCodes(tools.clock, tools.random);
    this.#guesses = tools.guesses === null ? null : new FailureCounter(tools.clock, tools.guesses);
  }

  /** Creates the device code and the user code for `POST /svc/oauth/device_authorization`. */
  start(
    { clientId, clientName, scope, network, sender }: TerminalRequest,
    from: RequestOrigin,
  ): StartedTerminalSignIn {
    checkClient(clientId);
    const codes = this.#codes.add({
      clientName: nameOf(clientName),
      scopes: scopesOf(scope),
      address: from.address,
      network,
      sender,
    });
    if ('retryAfter' in codes) {
      throw new Refusal('too many login attempts', 'too many codes of terminals wait', {
        message: 'Too many codes wait for an approval',
        retryAfter: codes.retryAfter,
      });
    }
    return { ...codes, expiresIn: CODE_LIFETIME_MS / 1000, interval: POLL_INTERVAL };
  }

  /**
   * @returns the terminal that has this user code. Throws the same refusal for an unknown, an expired and a used code,
   * and counts wrong codes per account.
   */
  describe(caller: Caller, userCode: string): WaitingTerminal {
    return this.#found(caller, () => this.#codes.waiting(userCode));
  }

  /** Approves or denies the sign-in of a terminal. Throws the same refusals as `describe`. */
  decide(caller: Caller, userCode: string, approve: boolean): void {
    const terminal = this.#found(caller, () => this.#codes.decide(userCode, caller, approve));
    this.#tools.audit.recordBestEffort(approve ? 'authn_terminal_approved' : 'authn_terminal_denied', {
      ...actorOf(caller),
      target: caller.account.id,
      reason: wordsFor(terminal),
    });
  }

  /** @returns whether a terminal polls with this device code */
  knows(deviceCode: string): boolean {
    return this.#codes.knows(deviceCode);
  }

  /**
   * Returns the result of a poll for `POST /svc/oauth/token`. Creates the credentials if the code was approved and the
   * person who approved it is still signed in; otherwise throws an `OAuthRefusal`. Throws `Unavailable` if there is no
   * signing key.
   */
  async redeem(
    {
      clientId,
      deviceCode,
    }: { readonly clientId: string | undefined; readonly deviceCode: string | undefined },
    from: RequestOrigin,
  ): Promise<TerminalCredentials> {
    // Accept a missing client id: there is only one client, so it is clear which one is meant.
    if (clientId !== undefined) checkClient(clientId);
    if (deviceCode === undefined || deviceCode === '') {
      throw new OAuthRefusal('invalid_request', 'device_code is missing');
    }
    const result = this.#codes.poll(deviceCode);
    if ('redeemed' in result) return this.#issue(result.redeemed, from);
    throw new OAuthRefusal(result.error, POLL_ERRORS[result.error]);
  }

  async #issue(code: RedeemedCode, from: RequestOrigin): Promise<TerminalCredentials> {
    try {
      const credentials = await this.#makeCredentials(code, from);
      code.finish();
      return credentials;
    } catch (error) {
      if (!(error instanceof Refusal)) {
        code.giveBack();
        throw error;
      }
      code.finish();
      this.#recordFailure(from, `${wordsFor(code.terminal)}: ${error.reason}`, code.approver.account.id);
      throw new OAuthRefusal('access_denied', `The account cannot get a token now (${error.code})`);
    }
  }

  async #makeCredentials(code: RedeemedCode, from: RequestOrigin): Promise<TerminalCredentials> {
    const { stores, clock, apiTokens, authenticator, bearerTokens } = this.#tools;
    // Check the sign-in and the account again, because the approval may be minutes old.
    const now = reauthorize(code.approver, SIGN_IN_ONLY, { stores, authenticator });
    const approver = { ...now, from: origin(from) };
    const apiTokenExpiresAt = clock.now() + TOKEN_LIFETIME_MS;
    const made = apiTokens.createProfileToken(approver, {
      name: code.terminal.clientName,
      ...(code.terminal.scopes === null ? {} : { scopes: code.terminal.scopes }),
      expiresAt: new Date(apiTokenExpiresAt).toISOString(),
    });
    const { accessKey } = approver.account;
    try {
      const owner = await authenticator.authenticate(
        pairOf({ accessKey, token: made.secret }),
        approver.from,
      );
      const { token: bearer, expiresIn } = await bearerTokens.issue(owner, {});
      return { bearer, expiresIn, accessKey, apiToken: made.secret, apiTokenExpiresAt };
    } catch (error) {
      this.#revoke(approver, made);
      throw error;
    }
  }

  /** Revokes a token whose secret no client received. */
  #revoke(owner: Caller, { token }: IssuedApiToken): void {
    try {
      this.#tools.apiTokens.revokeOwn(owner, token.id);
    } catch {
      // If revoking fails too, the token remains valid until it expires, but no client has its secret.
    }
  }

  #found(caller: Caller, find: () => WaitingTerminal | undefined): WaitingTerminal {
    const { id } = caller.account;
    this.#guesses?.admit(id, 'codes of terminals');
    const terminal = find();
    if (terminal === undefined) {
      this.#recordFailure(caller.from, 'unknown, used or expired user code', id);
      throw new Refusal('not_found', 'unknown, used or expired user code');
    }
    this.#guesses?.takeBack(id);
    return terminal;
  }

  #recordFailure(from: RequestOrigin, reason: string, actor: string | null = null): void {
    this.#tools.audit.recordRefusal('authn_terminal_fail', { ...refusedFrom(from), actor, reason });
  }
}

/** Texts of `error_description`, which the terminal may show to its user. */
const POLL_ERRORS = {
  authorization_pending: 'No one has approved the code yet',
  slow_down: 'The terminal polls too often; the interval is 5 seconds longer from now on',
  access_denied: 'The sign-in was denied',
  expired_token: 'The code has expired',
  invalid_grant: 'The device code is unknown or was used',
} as const;

/**
 * Throws a refusal if the client id is missing or wrong. The status for a wrong id is 400 and not 401, because 401 asks
 * for client authentication and this client has no secret.
 */
function checkClient(clientId: string | undefined): void {
  if (clientId === undefined || clientId === '')
    throw new OAuthRefusal('invalid_request', 'client_id is missing');
  if (clientId !== TERMINAL_CLIENT)
    throw new OAuthRefusal('invalid_client', 'The client is unknown', undefined, undefined, 400);
}

/** @returns the terminal's name, which also becomes the name of its token */
function nameOf(clientName: string | undefined): string {
  if (clientName === undefined || clientName.trim() === '') return TERMINAL_CLIENT;
  try {
    // Refuse control characters, including the marks that change the direction of text. With them, a name could look
    // like the name of another terminal to the person who approves.
    if (!hasControl(clientName)) return checkName(clientName);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  throw new OAuthRefusal(
    'invalid_request',
    'client_name has more than 100 characters or a control character',
  );
}

/**
 * @returns the scopes that the terminal requests, or null if it requests none. Whether the account may have them is
 * decided when the token is created, because only then the account is known
 */
function scopesOf(scope: string | undefined): readonly Scope[] | null {
  const scopes = [...new Set(scope?.split(' ').filter((each) => each !== ''))];
  if (scopes.length === 0) return null;
  if (scopes.every(isScope)) return scopes;
  throw new OAuthRefusal('invalid_scope', 'a requested scope is unknown');
}

function wordsFor({ clientName, address }: WaitingTerminal): string {
  return `terminal ${clientName} at ${address ?? 'an unknown address'}`;
}
