import type { Clock, TokenSigner } from '@svc/auth-core';
import type { NodeAction } from '@svc/contract';
import { lruCache } from '@svc/module';

/** Lifetimes of the hub's tokens in seconds (contract 8.2). */
const CREATE_LIFETIME = 120;
const COMMAND_LIFETIME = 300;
const CONTROL_LIFETIME = 60;
/** Remaining lifetime (ms) that a token for commands must have to be used again. Otherwise a new token is created. */
const COMMAND_LEFT_MS = 120_000;
const REMEMBERED = 10_000;

/** A device and the node that it is connected to. */
interface NodeDevice {
  /** Host and port of the node. */
  readonly node: string;
  readonly udid: string;
  /** Account id of the holder of the device's lease, or absent if it is not leased. */
  readonly lessee?: string | undefined;
}

interface CommandToken {
  readonly token: string;
  readonly usableUntil: number;
}

/**
 * Creates tokens for the requests that a hub sends to its nodes. A token proves to the node that the request comes from
 * the hub (specification 2, Hub token).
 */
export class HubTokens {
  readonly #signer: Pick<TokenSigner, 'mint'>;
  readonly #clock: Clock;
  readonly #bySession = lruCache<CommandToken>(REMEMBERED);
  readonly #minting = new Map<string, Promise<string>>();

  constructor(signer: Pick<TokenSigner, 'mint'>, clock: Clock) {
    this.#signer = signer;
    this.#clock = clock;
  }

  /**
   * Creates a token for one request that creates a session on one device. Rejects with `Unavailable` if there is no
   * signing key.
   * @param ownerId account id of the owner, or null if the session has no owner
   * @param rules whether the node has to check the commands of the session, and to leave the device unchanged after it
   */
  async forCreate(
    { node, udid, lessee }: NodeDevice,
    ownerId: string | null,
    { guarded, keep = false }: { readonly guarded: boolean; readonly keep?: boolean | undefined },
  ): Promise<string> {
    const { token } = await this.#signer.mint({
      sub: ownerId ?? '',
      aud: 'svc-node-create',
      node,
      udid,
      guarded,
      ...(lessee === undefined ? {} : { lessee }),
      ...(keep ? { keep } : {}),
      scopes: [],
      lifetime: CREATE_LIFETIME,
      until: null,
    });
    return token;
  }

  /**
   * Returns a token for the commands of one session, synchronously while an earlier token can be reused. Throws or
   * rejects with `Unavailable` if there is no signing key.
   */
  forSession(sessionId: string, ownerId: string | null): string | Promise<string> {
    const known = this.#bySession.get(sessionId);
    if (known !== undefined && this.#clock.now() < known.usableUntil) return known.token;
    return this.#minting.get(sessionId) ?? this.#begin(sessionId, ownerId);
  }

  /**
   * Creates a token for one stream of a device, or for one input (such as a tap) into the session that runs on the
   * device. Rejects with `Unavailable` if there is no signing key.
   * @param sessionId id of the session, or null for a stream
   */
  async forControl(
    { node, udid, lessee }: NodeDevice,
    action: NodeAction,
    sessionId: string | null,
  ): Promise<string> {
    const { token } = await this.#signer.mint({
      sub: '',
      aud: 'svc-node-control',
      node,
      udid,
      act: action,
      ...(sessionId === null ? {} : { sid: sessionId }),
      ...(lessee === undefined ? {} : { lessee }),
      scopes: [],
      lifetime: CONTROL_LIFETIME,
      until: null,
    });
    return token;
  }

  forget(sessionId: string): void {
    this.#bySession.delete(sessionId);
  }

  /** Discards all cached tokens. Call it when the key that signed the tokens was removed. */
  forgetAll(): void {
    this.#bySession.clear();
    this.#minting.clear();
  }

  #begin(sessionId: string, ownerId: string | null): Promise<string> {
    const minting = this.#mint(sessionId, ownerId).finally(() => {
      if (this.#minting.get(sessionId) === minting) this.#minting.delete(sessionId);
    });
    this.#minting.set(sessionId, minting);
    return minting;
  }

  async #mint(sessionId: string, ownerId: string | null): Promise<string> {
    const { token, claims } = await this.#signer.mint({
      sub: ownerId ?? '',
      aud: 'svc-node',
      sid: sessionId,
      scopes: [],
      lifetime: COMMAND_LIFETIME,
      until: null,
    });
    this.#bySession.set(sessionId, { token, usableUntil: claims.exp * 1000 - COMMAND_LEFT_MS });
    return token;
  }
}
