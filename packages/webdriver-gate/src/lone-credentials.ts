import type { IncomingHttpHeaders } from 'node:http';
import type { Caller, Clock, CommandHeaders, Log } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { RecentRefusals } from '@svc/device-lab';
import { lruCache } from '@svc/module';
import type { GateOrigin } from './request-origin.ts';

interface LoneCredentialsOptions {
  readonly commandHeaders: Pick<CommandHeaders, 'textOf'>;
  readonly refusals: Pick<RecentRefusals, 'note'>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
  /** Path of create-session requests: the base path and `/session`. */
  readonly path: string;
}

const HOUR_MS = 60 * 60 * 1000;
/** Maximum number of accounts for which the time of the last warning is remembered. */
const MOST_ACCOUNTS = 10_000;
const ADVICE =
  'The session was requested with credentials in svc:options alone, so its commands will be refused. ' +
  'Send the credentials with every request: use the address http://<access key>:<token>@<host>:<port>, ' +
  'or the headers x-svc-access-key and x-svc-token';

/**
 * Warns about clients that send their credentials with the create-session request but will not send them with commands,
 * while commands are checked (contract 15.3). The log gets one line per account and hour, and `GET /explain` the same
 * text for each such request.
 */
export class LoneCredentials {
  readonly #options: LoneCredentialsOptions;
  readonly #warned = lruCache<{ readonly at: number }>(MOST_ACCOUNTS);

  constructor(options: LoneCredentialsOptions) {
    this.#options = options;
  }

  /**
   * Called for each admitted create-session request whose credentials were in its capabilities.
   * @param caller account that the credentials belong to
   */
  admitted(headers: IncomingHttpHeaders, { account: { id } }: Caller, from: GateOrigin): void {
    const { commandHeaders, refusals, path } = this.#options;
    if (headers[HEADERS.commandCredentials] !== undefined || commandHeaders.textOf(headers) !== undefined)
      return;
    const { requestId, address } = from;
    this.#warn(id, requestId);
    refusals.note({
      requestId,
      kind: 'create',
      method: 'POST',
      path,
      status: 200,
      error: '',
      reason: ADVICE,
      caller: id,
      address,
      sessionId: null,
    });
  }

  #warn(account: string, request: string): void {
    const { log, clock } = this.#options;
    const now = clock.now();
    const last = this.#warned.get(account)?.at;
    // A later time of the last warning means that the clock was set back.
    if (last !== undefined && now >= last && now < last + HOUR_MS) return;
    this.#warned.set(account, { at: now });
    log.warn(ADVICE, { account, request });
  }
}
