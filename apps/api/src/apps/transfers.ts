import { type Caller, type OpenConnections, Refusal, Unavailable } from '@svc/auth-core';
import type { App } from '../http/http-context.ts';

/** A running upload or download. */
export interface Transfer {
  /** Aborted when the transfer has to end. The reason is the refusal. */
  readonly signal: AbortSignal;
  done(): void;
}

/**
 * The running uploads and downloads. Each ends when its caller's permission does, and all end when the server stops.
 */
export class Transfers {
  readonly #open = new Set<AbortController>();
  readonly #openConnections: OpenConnections;

  constructor(app: App, openConnections: OpenConnections) {
    this.#openConnections = openConnections;
    // Otherwise the server would wait for them.
    app.addHook('preClose', (done) => {
      for (const each of this.#open) each.abort(new Unavailable('the server stops'));
      done();
    });
  }

  /** @param refusal returns why the caller may no longer continue, or null if they may */
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
      done: () => {
        handle.forget();
        this.#open.delete(cut);
      },
    };
  }
}
