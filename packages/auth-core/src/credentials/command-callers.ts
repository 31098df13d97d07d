import type { Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { Authenticator } from './authenticate.ts';
import { callerOf, type KnownCaller } from './known-callers.ts';
import type { HeaderValues } from './presented.ts';

/** The parts of a command's request that are read. */
export interface CommandRequest {
  readonly headers: HeaderValues;
  /** Identifies the connection of the request. */
  readonly socket: object;
}

/** The last credential of a connection. Its next command nearly always has the same. */
interface Last {
  /** In the order of `CommandHeaders.names`. */
  readonly values: readonly HeaderValues[string][];
  readonly address: string | null;
  readonly known: KnownCaller;
  readonly caller: Caller;
}

/**
 * Callers of WebDriver commands. They are cached with all other callers, for at most 30 s (specification 5.7.6). While
 * a connection presents the same credential, it needs neither the hash nor the look-up.
 */
export class CommandCallers {
  readonly #authenticator: Authenticator;
  readonly #headers: readonly string[];
  readonly #last = new WeakMap<object, Last>();

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator;
    this.#headers = authenticator.commandHeaders.names;
  }

  /**
   * Throws or rejects as `authenticate` does.
   *
   * @returns undefined if the request has no credential that commands accept. `from` of the caller is the origin of the
   * request whose credential was checked last.
   */
  recall(request: CommandRequest, from: RequestOrigin): Caller | Promise<Caller> | undefined {
    const last = this.#last.get(request.socket);
    if (
      last !== undefined &&
      this.#isSame(last, request.headers) &&
      this.#authenticator.holds(last.known) &&
      last.address === from.address
    ) {
      return last.caller;
    }
    const presented = { headers: request.headers, cookie: undefined };
    const known = this.#authenticator.authenticateCommand(presented, from);
    return known instanceof Promise
      ? known.then((verified) => this.#keep(request, verified, from))
      : known && this.#keep(request, known, from);
  }

  #isSame({ values }: Last, headers: HeaderValues): boolean {
    for (let at = 0; at < values.length; at++) {
      if (values[at] !== headers[this.#headers[at] as string]) return false;
    }
    return true;
  }

  #keep({ headers, socket }: CommandRequest, known: KnownCaller, from: RequestOrigin): Caller {
    const { address, peer, sender, requestId } = from;
    // A copy, because the origin may reference the request, which would then stay in memory.
    const caller = callerOf(known, { address, peer, sender, requestId });
    const values = this.#headers.map((name) => headers[name]);
    this.#last.set(socket, { values, address, known, caller });
    return caller;
  }
}
