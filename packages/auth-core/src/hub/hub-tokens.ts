import type { NodeAction } from '@svc/contract';
import { lruCache } from '../lru-cache.ts';
import type { Clock } from '../ports/index.ts';
import type { TokenSigner } from '../tokens/signer.ts';

/** Lifetimes of the tokens in seconds (contract 8.2). */
const CREATE_LIFETIME = 120;
const COMMAND_LIFETIME = 300;
const CONTROL_LIFETIME = 60;
/** A token for commands is reused until its remaining lifetime is this short. */
const COMMAND_LEFT_MS = 120_000;
const REMEMBERED = 10_000;

/** A device of a node. */
interface NodeDevice {
  /** Host and port. */
  readonly node: string;
  readonly udid: string;
}

interface CommandToken {
  readonly token: string;
  readonly usableUntil: number;
}

/** Tokens that a hub sends to its nodes, and to no one else (specification 2, Hub token). */
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
   * For one create on one device. Rejects with `Unavailable`.
   * @param ownerId null if the session has no owner
   * @param guarded whether the node has to check the commands of the session
   */
  async forCreate({ node, udid }: NodeDevice, ownerId: string | null, guarded: boolean): Promise<string> {
    const { token } = await this.#signer.mint({
      sub: ownerId ?? '',
      aud: 'svc-node-create',
      node,
      udid,
      guarded,
      scopes: [],
      lifetime: CREATE_LIFETIME,
      until: null,
    });
    return token;
  }

  /** For commands of one session. Returns synchronously while an earlier token can be reused. Throws `Unavailable`. */
  forSession(sessionId: string, ownerId: string | null): string | Promise<string> {
    const known = this.#bySession.get(sessionId);
    if (known !== undefined && this.#clock.now() < known.usableUntil) return known.token;
    return this.#minting.get(sessionId) ?? this.#begin(sessionId, ownerId);
  }

  /**
   * For one stream of a device, or one input into the session that runs on it. Rejects with `Unavailable`.
   * @param sessionId null for a stream
   */
  async forControl(
    { node, udid }: NodeDevice,
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
      scopes: [],
      lifetime: CONTROL_LIFETIME,
      until: null,
    });
    return token;
  }

  forget(sessionId: string): void {
    this.#bySession.delete(sessionId);
  }

  /** Call when the key that signed the tokens was removed. */
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
