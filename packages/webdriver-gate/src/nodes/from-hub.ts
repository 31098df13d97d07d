import type { IncomingMessage } from 'node:http';
import { type HubTokenVerifier, Refusal } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { Admission, HubSessions } from '@svc/device-lab';
import { notCreated } from '../responses.ts';

/** What a node's gate knows of its hub. */
export interface FromHubOptions {
  readonly hubUrl: string;
  readonly tokens: HubTokenVerifier;
  readonly sessions: HubSessions;
}

/** At a node: what comes through its hub, proven by a hub token and by nothing else (contract 8.3). */
export class FromHub {
  readonly #options: FromHubOptions;

  constructor(options: FromHubOptions) {
    this.#options = options;
  }

  /** Whether the session came through the hub; then nothing but the hub's token drives it. */
  owns(sessionId: string): boolean {
    return this.#options.sessions.has(sessionId);
  }

  /** Whether that holds although commands are not checked here: they are at the hub. */
  guards(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#options.sessions.isGuarded(sessionId);
  }

  /** Throws `Refusal`, or `Unavailable` when the hub's keys cannot be had. Without a promise when warm. */
  checkCommand(req: IncomingMessage, sessionId: string): void | Promise<void> {
    return this.#options.tokens.checkCommand(tokenOf(req), sessionId);
  }

  /** Rejects with the `WebDriverError` to answer, or what went wrong with the check. */
  async admit(hubToken: string | undefined, healingTiers: Admission['healingTiers']): Promise<Admission> {
    try {
      const { udid, guarded } = await this.#options.tokens.redeemCreate(hubToken);
      // Owner, teams and leases are the hub's business, and it has dealt with them.
      return {
        caller: null,
        lacksCredentials: false,
        teamId: null,
        maySee: () => true,
        healingTiers,
        lease: null,
        fromHub: { udid, guarded },
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { hubUrl } = this.#options;
      throw notCreated(`session rejected: create sessions through the hub, ${hubUrl} (${error.reason})`);
    }
  }

  /** A session was created for the hub. */
  add(sessionId: string, fromHub: NonNullable<Admission['fromHub']>): void {
    this.#options.sessions.add(sessionId, fromHub);
  }
}

/** A header sent twice arrives joined and fits nothing. */
export function tokenOf({ headers }: IncomingMessage): string | undefined {
  const given = headers[HEADERS.hubToken];
  return Array.isArray(given) ? given.join(', ') : given;
}
