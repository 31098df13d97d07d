import type { Caller, Clock, Random } from '@svc/auth-core';
import { isOpaqueSecret, newOpaqueSecret, secretHash } from '@svc/auth-core';
import type { Scope } from '@svc/contract';
import { retryAfterSeconds } from '../attempts/attempts.ts';
import { newUserCode, readUserCode } from './user-code.ts';

/** Lifetime of the codes of a terminal sign-in in ms (contract 10.7). */
export const CODE_LIFETIME_MS = 600_000;
/**
 * Minimum number of seconds between two polls of a terminal. After each `slow_down` response, the terminal has to wait
 * 5 seconds longer (RFC 8628, section 3.5).
 */
export const POLL_INTERVAL = 5;
/**
 * Milliseconds by which a poll can be early without a `slow_down` response, because the network can delay one poll more
 * than the next.
 */
const POLL_TOLERANCE_MS = 500;
/** Maximum numbers of codes that wait for a decision, in total and per client network (contract 10.7). */
const MOST_CODES = 1_000;
const MOST_OF_ADDRESS = 20;
/**
 * Maximum number of codes in memory, including denied and expired codes. These are kept for some time, so that the
 * terminal's next poll gets the reason why it cannot sign in.
 */
const MOST_KEPT = 2 * MOST_CODES;
const KEPT_AFTER_END_MS = CODE_LIFETIME_MS;

/** Description of the terminal that requests a sign-in, for the person who approves it. */
export interface WaitingTerminal {
  readonly clientName: string;
  /** Client address of the terminal's request. */
  readonly address: string | null;
  readonly createdAt: number;
  /** Scopes that the terminal requests, or null if it requests those of a token made on the Profile page. */
  readonly scopes: readonly Scope[] | null;
}

interface TerminalCode extends WaitingTerminal {
  /** Network of the address that the terminal states. The number of waiting codes is limited for each network. */
  readonly network: string;
  /** Network of the sender of the connection, which a client cannot invent (see `RequestOrigin.sender`). */
  readonly sender: string;
  readonly expiresAt: number;
  readonly userCodeHash: string;
  state: 'pending' | 'approved' | 'denied' | 'redeeming';
  /** Caller who approved the code, or null while no one has. */
  approver: Caller | null;
  /** Minimum seconds between two polls of this terminal. */
  interval: number;
  polledAt: number | null;
}

/** An approved code whose credentials are being created. The code counts as used unless `giveBack` is called. */
export interface RedeemedCode {
  readonly terminal: WaitingTerminal;
  readonly approver: Caller;
  /** Makes the code redeemable again. Call it if the server could not create the credentials. */
  giveBack(): void;
  /** Removes the code from memory. */
  finish(): void;
}

/** Result of a poll: the redeemed code, or the error of RFC 8628 that the terminal gets. */
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

/** New codes, or the seconds to wait because too many codes are waiting. */
export type NewCodes =
  | { readonly deviceCode: string; readonly userCode: string }
  | { readonly retryAfter: number };

/**
 * Pairs of a device code, with which the terminal polls, and a user code, which a person approves (RFC 8628). Only
 * digests of the codes are stored, and only in memory, so a restart of the server makes them invalid.
 */
export class TerminalCodes {
  readonly #clock: Clock;
  readonly #random: Random;
  /** Pairs of codes by the digest of their device code, oldest first. */
  readonly #codes = new Map<string, TerminalCode>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get size(): number {
    return this.#codes.size;
  }

  /** Creates a device code and its user code, or returns the seconds to wait if too many codes are waiting already. */
  add(terminal: Pick<TerminalCode, 'clientName' | 'address' | 'scopes' | 'network' | 'sender'>): NewCodes {
    const now = this.#clock.now();
    this.#removeOld(now);
    const wait = this.#waitMs(terminal, now);
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

  /** @returns whether a terminal polls with this device code, so that the poll is no guess */
  knows(deviceCode: string): boolean {
    return isOpaqueSecret(deviceCode) && this.#codes.has(secretHash(deviceCode));
  }

  /** @returns the terminal that has this user code, or undefined if the code is unknown, expired, approved or denied */
  waiting(typed: string): WaitingTerminal | undefined {
    return this.#pending(typed);
  }

  /**
   * Approves or denies a code. Of two concurrent decisions about the same code, only one succeeds.
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
   * Returns the result of a terminal's poll. The first poll after the approval redeems the code; concurrent polls get
   * `invalid_grant`.
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

  /**
   * Returns the time (ms) until this client may request another code, or 0 if it may do so now. A network whose codes
   * are all from other senders does not make a client wait, because a client can state any address.
   */
  #waitMs({ network, sender }: Pick<TerminalCode, 'network' | 'sender'>, now: number): number {
    const waiting = [...this.#codes.values()].filter((code) => isWaiting(code, now));
    const stated = waiting.filter((code) => code.network === network);
    const own = stated.filter((code) => code.sender === sender);
    if (own.length >= MOST_OF_ADDRESS) return endOfFirst(own) - now;
    if (stated.length >= MOST_OF_ADDRESS && !this.#makeRoom(stated, now)) return endOfFirst(stated) - now;
    if (waiting.length < MOST_CODES || this.#makeRoom(waiting, now)) return 0;
    return endOfFirst(waiting) - now;
  }

  /**
   * Removes the oldest of these codes of the sender with the most codes that wait for a decision, so that one sender
   * cannot shut out all others.
   * @returns false if no code waits for a decision
   */
  #makeRoom(codes: readonly TerminalCode[], now: number): boolean {
    const counts = new Map<string, number>();
    const among = new Set(codes);
    const open = [...this.#codes].filter(
      ([, code]) => among.has(code) && code.state === 'pending' && now < code.expiresAt,
    );
    for (const [, { sender }] of open) counts.set(sender, (counts.get(sender) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const oldest = open.find(([, { sender }]) => counts.get(sender) === most);
    return oldest !== undefined && this.#codes.delete(oldest[0]);
  }

  /**
   * Removes codes that ended long ago. If too many codes remain, also removes the oldest ones that no longer wait for a
   * decision.
   */
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

/** @returns the expiry of the oldest code, which is the first to expire because all codes have the same lifetime */
function endOfFirst(codes: readonly TerminalCode[]): number {
  return codes[0]?.expiresAt ?? 0;
}
