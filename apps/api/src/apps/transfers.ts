import { type Caller, type OpenConnections, Refusal, Unavailable } from '@svc/auth-core';
import type { App } from '../http/http-context.ts';

/** An upload or a download on its way. */
export interface Transfer {
  /** Aborted when it must end; the reason is an answer. */
  readonly signal: AbortSignal;
  done(): void;
}

/** Uploads and downloads that run: each ends when its caller's right does, and all when the server stops. */
export class Transfers {
  readonly #open = new Set<AbortController>();
  readonly #openConnections: OpenConnections;

  constructor(app: App, openConnections: OpenConnections) {
    this.#openConnections = openConnections;
    // The server would wait for them.
    app.addHook('preClose', (done) => {
      for (const each of this.#open) each.abort(new Unavailable('the server stops'));
      done();
    });
  }

  /** `refusal`: why the caller may no longer have it; null: they may. */
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
