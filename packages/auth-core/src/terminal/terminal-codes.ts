import { retryAfterSeconds } from '../limits/attempts.ts';
import { newUserCode, readUserCode } from '../policy/user-code.ts';
import type { Clock, Random } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import { isOpaqueSecret, newOpaqueSecret, secretHash } from '../secrets/opaque.ts';

/** Lifetime of a code in ms (contract 10.7). */
export const CODE_LIFETIME_MS = 600_000;
/** Seconds between two polls of a terminal, and the seconds that `slow_down` adds (RFC 8628, section 3.5). */
export const POLL_INTERVAL = 5;
/** A poll that arrives this much too early (ms) is in time, because the network does not delay all polls equally. */
const POLL_TOLERANCE_MS = 500;
/** Maximum number of codes that wait at the same time, of all addresses and of one address (contract 10.7). */
const MOST_CODES = 1_000;
const MOST_OF_ADDRESS = 20;
/**
 * Maximum number of codes in memory, with those that were denied or have expired. They are kept for a while, so that
 * the terminal gets the reason.
 */
const MOST_KEPT = 2 * MOST_CODES;
const KEPT_AFTER_END_MS = CODE_LIFETIME_MS;

/** The terminal that asks for a sign-in, as the person who approves it sees the terminal. */
export interface WaitingTerminal {
  readonly clientName: string;
  /** Client address of the request for the code. */
  readonly address: string | null;
  readonly createdAt: number;
}

interface TerminalCode extends WaitingTerminal {
  /** Network of the terminal, by which codes are counted. */
  readonly network: string;
  readonly expiresAt: number;
  readonly userCodeHash: string;
  state: 'pending' | 'approved' | 'denied' | 'redeeming';
  /** The person who approved the code, or null if no one has. */
  approver: Caller | null;
  /** Seconds that the terminal has to wait between two polls. */
  interval: number;
  polledAt: number | null;
}

/** An approved code while its credentials are made. The code is used unless `giveBack` is called. */
export interface RedeemedCode {
  readonly terminal: WaitingTerminal;
  readonly approver: Caller;
  /** Makes the code redeemable again, because the server could not make the credentials. */
  giveBack(): void;
  /** Removes the code from memory. */
  finish(): void;
}

/** State of a code for the terminal that polls, with the name of the error in RFC 8628 if it is not redeemed. */
export type PollResult =
  | { readonly redeemed: RedeemedCode }
  | {
      readonly error:
        | 'authorization_pending'
        | 'slow_down'
        | 'access_denied'
        | 'expired_token'
        | 'invalid_grant';
    };

/** New codes, or the seconds to wait because too many codes wait. */
export type NewCodes =
  | { readonly deviceCode: string; readonly userCode: string }
  | { readonly retryAfter: number };

/**
 * Codes of terminals that wait for the approval of a person (RFC 8628). They are kept in memory, as digests only, so a
 * restart of the server ends them.
 */
export class TerminalCodes {
  readonly #clock: Clock;
  readonly #random: Random;
  /** Codes by the digest of the device code, oldest first. */
  readonly #codes = new Map<string, TerminalCode>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get size(): number {
    return this.#codes.size;
  }

  /** Adds a code, unless too many codes wait already. */
  add(terminal: Pick<TerminalCode, 'clientName' | 'address' | 'network'>): NewCodes {
    const now = this.#clock.now();
    this.#removeOld(now);
    const wait = this.#waitMs(terminal.network, now);
    if (wait > 0) return { retryAfter: retryAfterSeconds(wait) };
    const deviceCode = newOpaqueSecret(this.#random);
    const userCode = this.#unusedUserCode();
    this.#codes.set(secretHash(deviceCode), {
      ...terminal,
      createdAt: now,
      expiresAt: now + CODE_LIFETIME_MS,
      userCodeHash: secretHash(userCode),
      state: 'pending',
      approver: null,
      interval: POLL_INTERVAL,
      polledAt: null,
    });
    return { deviceCode, userCode };
  }

  /**
   * @returns the terminal that waits for the approval of this user code, or undefined if the code is unknown, has
   * expired, or was approved or denied
   */
  waiting(typed: string): WaitingTerminal | undefined {
    return this.#pending(typed);
  }

  /**
   * Approves or denies a code. Two decisions about the same code cannot both succeed.
   * @returns the terminal, or undefined in the same cases as `waiting`
   */
  decide(typed: string, approver: Caller, approve: boolean): WaitingTerminal | undefined {
    const code = this.#pending(typed);
    if (code === undefined) return undefined;
    code.state = approve ? 'approved' : 'denied';
    code.approver = approve ? approver : null;
    return code;
  }

  /**
   * Answers a poll of a terminal. The first poll after the approval redeems the code, and any poll at the same time
   * gets `invalid_grant`.
   */
  poll(deviceCode: string): PollResult {
    const key = isOpaqueSecret(deviceCode) ? secretHash(deviceCode) : '';
    const code = this.#codes.get(key);
    if (code === undefined || code.state === 'redeeming') return { error: 'invalid_grant' };
    const now = this.#clock.now();
    if (now >= code.expiresAt) return { error: 'expired_token' };
    if (code.state === 'denied') return { error: 'access_denied' };
    if (code.approver !== null) return { redeemed: this.#redeem(key, code, code.approver) };
    const early = code.polledAt !== null && now - code.polledAt + POLL_TOLERANCE_MS < code.interval * 1000;
    code.polledAt = now;
    if (!early) return { error: 'authorization_pending' };
    code.interval += POLL_INTERVAL;
    return { error: 'slow_down' };
  }

  #redeem(key: string, code: TerminalCode, approver: Caller): RedeemedCode {
    code.state = 'redeeming';
    return {
      terminal: code,
      approver,
      giveBack: () => {
        code.state = 'approved';
      },
      finish: () => this.#codes.delete(key),
    };
  }

  #pending(typed: string): TerminalCode | undefined {
    const userCode = readUserCode(typed);
    return userCode === undefined ? undefined : this.#byUserCode(userCode);
  }

  #byUserCode(userCode: string): TerminalCode | undefined {
    const hash = secretHash(userCode);
    const now = this.#clock.now();
    for (const code of this.#codes.values()) {
      if (code.userCodeHash === hash && code.state === 'pending' && now < code.expiresAt) return code;
    }
    return undefined;
  }

  #unusedUserCode(): string {
    for (;;) {
      const userCode = newUserCode(this.#random);
      if (this.#byUserCode(userCode) === undefined) return userCode;
    }
  }

  /** @returns milliseconds until the network may have another code, or 0 if it may have one now */
  #waitMs(network: string, now: number): number {
    const waiting = [...this.#codes.values()].filter((code) => isWaiting(code, now));
    const own = waiting.filter((code) => code.network === network);
    if (own.length >= MOST_OF_ADDRESS) return endOfFirst(own) - now;
    return waiting.length >= MOST_CODES ? endOfFirst(waiting) - now : 0;
  }

  /** Removes codes that ended long ago and, while there are too many codes, the oldest ones that do not wait. */
  #removeOld(now: number): void {
    let surplus = this.#codes.size - MOST_KEPT + 1;
    for (const [key, code] of this.#codes) {
      const isLongOver = now >= code.expiresAt + KEPT_AFTER_END_MS;
      if (!isLongOver && (surplus <= 0 || isWaiting(code, now))) continue;
      this.#codes.delete(key);
      surplus -= 1;
    }
  }
}

function isWaiting({ state, expiresAt }: TerminalCode, now: number): boolean {
  return state !== 'denied' && now < expiresAt;
}

/** @returns the expiry of the oldest code, which is the first to expire because all codes live equally long */
function endOfFirst(codes: readonly TerminalCode[]): number {
  return codes[0]?.expiresAt ?? 0;
}
