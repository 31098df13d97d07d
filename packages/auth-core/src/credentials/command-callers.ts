import type { Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { Authenticator } from './authenticate.ts';
import { callerOf, type KnownCaller } from './known-callers.ts';
import type { HeaderValues } from './presented.ts';

/** What is read of a command's request. */
export interface CommandRequest {
  readonly headers: HeaderValues;
  /** Stands for the connection it came on. */
  readonly socket: object;
}

/** What a connection presented last: its next command nearly always presents the same. */
interface Last {
  /** In the order of `CommandHeaders.names`. */
  readonly values: readonly HeaderValues[string][];
  readonly address: string | null;
  readonly known: KnownCaller;
  readonly caller: Caller;
}

/**
 * Callers of WebDriver commands. They are remembered where all callers are, for at most 30 s (specification 5.7.6);
 * a connection is spared the hash and the look-up while it presents the same.
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
   * Undefined: the request carries no credential that commands accept. Throws (or rejects with) what `authenticate`
   * does. The caller's `from` is where its credential was looked at last.
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
    // A copy: the origin may hold the request, which this outlives.
    const caller = callerOf(known, { address, peer, sender, requestId });
    const values = this.#headers.map((name) => headers[name]);
    this.#last.set(socket, { values, address, known, caller });
    return caller;
  }
}
