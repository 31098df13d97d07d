import type { Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { Authenticator } from './authenticate.ts';
import { callerOf, type KnownCaller } from './known-callers.ts';
import type { HeaderValues } from './presented.ts';

/** Parts of a WebDriver command's HTTP request that the credential check reads. */
export interface CommandRequest {
  readonly headers: HeaderValues;
  /** Socket of the request, which identifies its connection. */
  readonly socket: object;
}

/**
 * Last credential of a connection, cached because the next command of the connection nearly always has the same
 * credential.
 */
interface Last {
  /** Values of the credential headers, in the order of `CommandHeaders.names`. */
  readonly values: readonly HeaderValues[string][];
  readonly address: string | null;
  readonly known: KnownCaller;
  readonly caller: Caller;
}

/**
 * Finds the callers of WebDriver commands. A caller is cached for at most 30 s (specification 5.7.6). While a
 * connection presents the same credential, its caller is found without hashing the credential or searching the cache.
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
   * Returns the caller of a command. Throws or rejects with the same errors as `Authenticator.authenticate`.
   *
   * @returns the caller, or undefined if the request has no credential that commands accept
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
    // Copy the fields of the origin, because it may reference the request. The request would otherwise stay in memory
    // as long as the connection.
    const caller = callerOf(known, { address, peer, sender, requestId });
    const values = this.#headers.map((name) => headers[name]);
    this.#last.set(socket, { values, address, known, caller });
    return caller;
  }
}
