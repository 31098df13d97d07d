import type { IncomingMessage } from 'node:http';
import { type HubTokenVerifier, Refusal } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { Admission, HubSessions } from '@svc/device-lab';
import { notCreated } from '../responses.ts';

/** What the gate of a node needs to verify requests from its hub. */
export interface FromHubOptions {
  readonly hubUrl: string;
  readonly tokens: HubTokenVerifier;
  readonly sessions: HubSessions;
  readonly connections: CountedConnections;
}

/** The connections that count towards the limit of connections per client address. */
interface CountedConnections {
  isCounted(socket: object): boolean;
  /** Has no effect on a connection that is not counted. */
  stopCounting(socket: object): void;
}

/** Verifies what comes to a node from its hub, by hub tokens alone (contract 8.3). */
export class FromHub {
  readonly #options: FromHubOptions;

  constructor(options: FromHubOptions) {
    this.#options = options;
  }

  /** Whether the session was created through the hub. Only hub tokens can drive such a session. */
  has(sessionId: string): boolean {
    return this.#options.sessions.has(sessionId);
  }

  /** Whether the hub checks the commands of the session, so that this node checks them for hub tokens in any case. */
  isGuarded(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#options.sessions.isGuarded(sessionId);
  }

  /**
   * Throws `Refusal`, or `Unavailable` if the keys of the hub are not available. Returns no promise when warm. A connection
   * on which a token was accepted no longer counts towards the limit for the hub's address.
   */
  checkCommand(req: IncomingMessage, sessionId: string): void | Promise<void> {
    const checked = this.#options.tokens.checkCommand(hubTokenOf(req), sessionId);
    if (checked instanceof Promise) return checked.then(() => this.stopCounting(req));
    this.stopCounting(req);
  }

  /** Stops counting the connection of a command that is not checked here. A wrong token has no effect. */
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

  /** Rejects with the `WebDriverError` to send, or with the error of a check that could not run. */
  async admit(hubToken: string | undefined, healingTiers: Admission['healingTiers']): Promise<Admission> {
    try {
      const { udid, guarded } = await this.#options.tokens.redeemCreate(hubToken);
      // The hub has already checked owner, teams and leases.
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

  /** Records a session that was created for the hub. */
  add(sessionId: string, fromHub: NonNullable<Admission['fromHub']>): void {
    this.#options.sessions.add(sessionId, fromHub);
  }
}

function ignore(): void {}

/** @returns the token of the header; values of a header sent twice are joined, which makes an invalid token */
export function hubTokenOf({ headers }: IncomingMessage): string | undefined {
  const given = headers[HEADERS.hubToken];
  return Array.isArray(given) ? given.join(', ') : given;
}
