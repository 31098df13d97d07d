import { type Caller, Refusal, Unavailable } from '@svc/auth-core';
import type { OpenConnections } from '@svc/module';
import type { FastifyInstance } from 'fastify';

/** A running upload or download. */
export interface Transfer {
  /** Signal that is aborted when the transfer has to end. Its abort reason is an error that says why. */
  readonly signal: AbortSignal;
  /** Throws if the caller is no longer allowed to continue the transfer, or if this cannot be checked. */
  check(): void;
  done(): void;
}

/**
 * Tracks the running uploads and downloads. A transfer is aborted when its caller loses the permission for it, and all
 * transfers are aborted when the server stops.
 */
export class Transfers {
  readonly #open = new Set<AbortController>();
  readonly #openConnections: OpenConnections;

  constructor(app: FastifyInstance, openConnections: OpenConnections) {
    this.#openConnections = openConnections;
    // Running transfers are aborted, because the stop of the server would otherwise wait for them.
    app.addHook('preClose', (done) => {
      for (const each of this.#open) each.abort(new Unavailable('the server stops'));
      done();
    });
  }

  /**
   * Registers a transfer.
   * @param refusal returns the reason why the caller is no longer allowed to continue the transfer, or null if they are
   * allowed
   */
  begin(caller: Caller, refusal: (caller: Caller) => string | null): Transfer {
    const cut = new AbortController();
    this.#open.add(cut);
    const handle = this.#openConnections.add({
      caller,
      refusal,
      close: ({ reason }) => cut.abort(new Refusal('unauthenticated', `meanwhile: ${reason}`)),
    });
    return {
      signal: cut.signal,
      check: () => {
        if (handle.current() !== null) return;
        cut.signal.throwIfAborted();
        throw new Unavailable('access to a transfer could not be verified');
      },
      done: () => {
        handle.forget();
        this.#open.delete(cut);
      },
    };
  }
}
