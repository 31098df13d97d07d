import type { Audience, NodeAction } from '@svc/contract';
import { Refusal } from '../errors.ts';
import { lruCache } from '../lru-cache.ts';
import type { Clock, Log, Stores } from '../ports/index.ts';
import type { Claims } from '../tokens/claims.ts';
import { readHeader, verifySigned } from '../tokens/verify-signed.ts';
import type { HubKeys } from './hub-keys.ts';

/** Tolerated difference between the clocks of hub and node (contract 4). */
const TOLERANCE_SEC = 30;
/** Maximum lifetime of a hub token (specification 2, Hub token). */
const LONGEST_LIFE_SEC = 300;
const REMEMBERED = 10_000;
const WARN_EVERY_MS = 60_000;

interface VerifierOptions {
  readonly keys: Pick<HubKeys, 'find' | 'knows' | 'areFresh'>;
  /** `SVC_JWT_ISSUER`, the same on hub and node. */
  readonly issuer: string;
  /** Host and port that this node registered with. */
  readonly node: string;
  readonly stores: Pick<Stores, 'replay' | 'transaction'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A create that the hub forwarded. */
export interface HubCreate {
  /** The only device that it may use. */
  readonly udid: string;
  /** Account id at the hub; empty if the session has no owner. */
  readonly sub: string;
  /** Whether the hub checks commands. */
  readonly guarded: boolean;
}

interface Verified {
  readonly sid: string;
  readonly kid: string;
  /** Expiry in ms, including the tolerance. */
  readonly until: number;
}

/** Verifies hub tokens on a node (contract 8.3). Throws `Refusal` for an invalid token, `Unavailable` without keys. */
export class HubTokenVerifier {
  readonly #options: VerifierOptions;
  /** Verified tokens by their text. A verified signature stays valid until the token expires. */
  readonly #verified = lruCache<Verified>(REMEMBERED);
  #warnedAt: number | null = null;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Throws unless the token is valid for this session. Returns synchronously if the token is cached. */
  checkCommand(token: string | undefined, sessionId: string): void | Promise<void> {
    if (token === undefined) throw refused('no hub token');
    const known = this.#verified.get(token);
    const { areFresh } = this.#options.keys;
    // Tokens of a key that the hub removed are no longer valid.
    if (known === undefined || !areFresh || !this.#options.keys.knows(known.kid))
      return this.#verifyCommand(token, sessionId);
    if (this.#options.clock.now() >= known.until) throw refused('expired');
    if (known.sid !== sessionId) throw refused('for another session');
  }

  /** Redeems a create's token. It is valid once, also across a restart and for concurrent requests. */
  async redeemCreate(token: string | undefined): Promise<HubCreate> {
    if (token === undefined) throw refused('no hub token');
    const claims = await this.#claimsOf(token, 'svc-node-create');
    const { udid, sub, guarded = false } = claims;
    if (udid === undefined || udid === '') throw refused('for no device');
    this.#spend(claims);
    return { udid, sub, guarded };
  }

  /**
   * Redeems a token for an input or a stream, which is valid once.
   * @returns the session that an input is for, or null if the token names none, which only streams allow
   */
  async redeemControl(token: string | undefined, udid: string, action: NodeAction): Promise<string | null> {
    if (token === undefined) throw refused('no hub token');
    const claims = await this.#claimsOf(token, 'svc-node-control');
    if (claims.udid !== udid) throw refused('for another device');
    if (claims.act !== action) throw refused('for something else');
    this.#spend(claims);
    return claims.sid ?? null;
  }

  #spend({ jti, exp, node }: Claims): void {
    // Without this check, a node could use the token of another node with a device of the same name.
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

  /** Called only for tokens that the hub signed, so that unauthenticated clients cannot write log lines. */
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
