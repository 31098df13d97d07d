import type { Claims, Clock, Log, Stores } from '@svc/auth-core';
import { Refusal, readHeader, verifySigned } from '@svc/auth-core';
import type { Audience, NodeAction } from '@svc/contract';
import { lruCache } from '@svc/module';
import type { HubKeys } from './hub-keys.ts';

/** Tolerated difference in seconds between the clocks of hub and node (contract 4). */
const TOLERANCE_SEC = 30;
/** Maximum lifetime of a hub token in seconds (specification 2, Hub token). */
const LONGEST_LIFE_SEC = 300;
const REMEMBERED = 10_000;
const WARN_EVERY_MS = 60_000;

interface VerifierOptions {
  readonly keys: Pick<HubKeys, 'find' | 'knows' | 'areFresh'>;
  /** Value of `SVC_JWT_ISSUER`, which must be the same on hub and node. */
  readonly issuer: string;
  /** Host and port with which this node registered at the hub. */
  readonly node: string;
  readonly stores: Pick<Stores, 'replay' | 'transaction'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the hub's token says about the session that is to be created on this node. */
export interface HubCreate {
  /** Id of the only device that the session may use. */
  readonly udid: string;
  /** Account id of the session's owner at the hub, or an empty string if the session has no owner. */
  readonly sub: string;
  /**
   * Whether this node must check the credentials of the session's commands, even if its own settings turn the check
   * off. The hub sets it if the hub itself checks commands.
   */
  readonly guarded: boolean;
  /** Account id of the holder of the device's lease at the hub, or null if it is not leased. */
  readonly lessee: string | null;
  /** Whether the device stays as it is after the session (contract 17.3). */
  readonly keep: boolean;
}

/** What the hub's token says about a stream, an input or an adb service. */
export interface HubControl {
  /** Id of the session that the token names, or null if it names none. */
  readonly sessionId: string | null;
  /** Account id of the holder of the device's lease at the hub, or null if the token names none. */
  readonly lessee: string | null;
}

interface Verified {
  readonly sid: string;
  readonly kid: string;
  /** Time (ms since 1970) at which the token expires, including the tolerance. */
  readonly until: number;
}

/**
 * Verifies hub tokens on a node (contract 8.3). Throws `Refusal` if a token is not valid, and `Unavailable` if the
 * hub's keys are not available.
 */
export class HubTokenVerifier {
  readonly #options: VerifierOptions;
  /**
   * Session and expiry of each verified token, by the text of the token. A token is found here on its next use, so that
   * its signature is not verified again.
   */
  readonly #verified = lruCache<Verified>(REMEMBERED);
  #warnedAt: number | null = null;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /**
   * Throws a refusal unless the token is valid for commands of this session. Returns synchronously if the token is
   * cached.
   */
  checkCommand(token: string | undefined, sessionId: string): void | Promise<void> {
    if (token === undefined) throw refused('no hub token');
    const known = this.#verified.get(token);
    const { areFresh } = this.#options.keys;
    // A cached token counts only while the hub still publishes the key that signed the token.
    if (known === undefined || !areFresh || !this.#options.keys.knows(known.kid))
      return this.#verifyCommand(token, sessionId);
    if (this.#options.clock.now() >= known.until) throw refused('expired');
    if (known.sid !== sessionId) throw refused('for another session');
  }

  /**
   * Redeems the token of a request that creates a session. Each token is accepted only once, even if the node restarts
   * or requests run concurrently.
   */
  async redeemCreate(token: string | undefined): Promise<HubCreate> {
    if (token === undefined) throw refused('no hub token');
    const claims = await this.#claimsOf(token, 'svc-node-create');
    const { udid, sub, guarded = false, lessee = null, keep = false } = claims;
    if (udid === undefined || udid === '') throw refused('for no device');
    this.#spend(claims);
    return { udid, sub, guarded, lessee, keep };
  }

  /**
   * Redeems a token for a stream of a device, or for an input (such as a tap) into a session on the device. Each token
   * is accepted only once.
   * @returns what the token says. A token for a stream names no session. For an input, the caller has to refuse a
   * token without a session
   */
  async redeemControl(token: string | undefined, udid: string, action: NodeAction): Promise<HubControl> {
    if (token === undefined) throw refused('no hub token');
    const claims = await this.#claimsOf(token, 'svc-node-control');
    if (claims.udid !== udid) throw refused('for another device');
    if (claims.act !== action) throw refused('for something else');
    this.#spend(claims);
    return { sessionId: claims.sid ?? null, lessee: claims.lessee ?? null };
  }

  #spend({ jti, exp, node }: Claims): void {
    // Without this check, a token for another node would be valid here if both nodes have a device of the same name.
    if (node !== undefined && node !== this.#options.node) throw refused('for another node');
    const spentUntil = (exp + TOLERANCE_SEC) * 1000;
    const first = this.#options.stores.transaction((tx) => tx.replay.spend(jti, spentUntil));
    if (!first) throw refused('spent');
  }

  async #verifyCommand(token: string, sessionId: string): Promise<void> {
    const { sid, exp } = await this.#claimsOf(token, 'svc-node');
    if (sid === undefined) throw refused('for no session');
    const kid = readHeader(token)?.kid as string;
    this.#verified.set(token, { sid, kid, until: (exp + TOLERANCE_SEC) * 1000 });
    if (sid !== sessionId) throw refused('for another session');
  }

  async #claimsOf(token: string, audience: Audience): Promise<Claims> {
    const { keys, issuer, clock } = this.#options;
    const header = readHeader(token);
    if (header === undefined || typeof header.kid !== 'string') throw refused('malformed');
    const key = await keys.find(header.kid);
    if (key === undefined) throw refused('unknown key');
    const now = clock.now();
    const expected = { audiences: [audience], issuer, now };
    const claims = verifySigned(token, header.typ, key, { ...expected, toleranceSec: TOLERANCE_SEC });
    if (claims === 'expired') {
      const ever = { ...expected, toleranceSec: Number.MAX_SAFE_INTEGER / 2000 };
      const late = verifySigned(token, header.typ, key, ever);
      if (typeof late !== 'string') this.#warnOfClocks(now, late.iat);
    }
    if (typeof claims === 'string') throw refused(claims);
    const { iat, exp } = claims;
    if (iat * 1000 > now + TOLERANCE_SEC * 1000) {
      this.#warnOfClocks(now, iat);
      throw refused('issued in the future');
    }
    if (exp - iat > LONGEST_LIFE_SEC) throw refused('lives too long');
    return claims;
  }

  /**
   * Warns in the log that the clocks of hub and node differ. Call it only for tokens that the hub signed, so that
   * unauthenticated clients cannot write log lines.
   */
  #warnOfClocks(now: number, issuedAt: number): void {
    if (this.#warnedAt !== null && Math.abs(now - this.#warnedAt) < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    const seconds = Math.round(Math.abs(now / 1000 - issuedAt));
    const side = now / 1000 > issuedAt ? 'ago' : 'ahead';
    this.#options.log.warn(
      `A hub token was issued ${seconds} s ${side} by this server's clock: the clocks of hub and node must agree within ${TOLERANCE_SEC} s`,
    );
  }
}

function refused(reason: string): Refusal {
  return new Refusal('invalid token', `hub token: ${reason}`);
}
