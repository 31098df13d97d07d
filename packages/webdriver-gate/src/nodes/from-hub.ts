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
  readonly connections: CountedConnections;
}

/** The connections that count towards the limit per client address. */
interface CountedConnections {
  isCounted(socket: object): boolean;
  /** Has no effect on a connection that is not counted. */
  stopCounting(socket: object): void;
}

/** At a node: what comes through its hub, proven by a hub token and by nothing else (contract 8.3). */
export class FromHub {
  readonly #options: FromHubOptions;

  constructor(options: FromHubOptions) {
    this.#options = options;
  }

  /** Whether the session came through the hub; then nothing but the hub's token drives it. */
  has(sessionId: string): boolean {
    return this.#options.sessions.has(sessionId);
  }

  /** Whether that holds although commands are not checked here: they are at the hub. */
  isGuarded(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#options.sessions.isGuarded(sessionId);
  }

  /**
   * Throws `Refusal`, or `Unavailable` when the hub's keys cannot be had. Without a promise when warm. A connection on
   * which a token was accepted no longer counts towards the limit of the hub's address.
   */
  checkCommand(req: IncomingMessage, sessionId: string): void | Promise<void> {
    const checked = this.#options.tokens.checkCommand(hubTokenOf(req), sessionId);
    if (checked instanceof Promise) return checked.then(() => this.stopCounting(req));
    this.stopCounting(req);
  }

  /** Does the same for the connection of a command that is not checked here; a wrong token changes nothing. */
  recognize(req: IncomingMessage, sessionId: string | undefined): void {
    const { connections } = this.#options;
    if (!connections.isCounted(req.socket)) return;
    if (sessionId === undefined || !this.has(sessionId) || hubTokenOf(req) === undefined) return;
    try {
      const checked = this.checkCommand(req, sessionId);
      if (checked instanceof Promise) checked.catch(ignore);
    } catch {
      // The connection stays counted.
    }
  }

  /** Call when a token of the hub was accepted on the connection of this request. */
  stopCounting({ socket }: IncomingMessage): void {
    this.#options.connections.stopCounting(socket);
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

function ignore(): void {}

/** A header sent twice arrives joined and fits nothing. */
export function hubTokenOf({ headers }: IncomingMessage): string | undefined {
  const given = headers[HEADERS.hubToken];
  return Array.isArray(given) ? given.join(', ') : given;
}
