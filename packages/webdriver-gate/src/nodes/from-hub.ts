import type { IncomingMessage } from 'node:http';
import { Refusal } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import { type Admission, hubHolder } from '@svc/device-lab';
import type { HubSessions, HubTokenVerifier } from '@svc/nodes';
import { notCreated } from '../responses.ts';

/** What a node needs to verify the requests of its hub. */
export interface FromHubOptions {
  readonly hubUrl: string;
  readonly tokens: HubTokenVerifier;
  readonly sessions: HubSessions;
  readonly connections: CountedConnections;
}

/** Connections to this server that count towards the limit of connections per client address. */
interface CountedConnections {
  isCounted(socket: object): boolean;
  /** Exempts a connection from the limit. Has no effect on a connection that does not count towards the limit. */
  stopCounting(socket: object): void;
}

/**
 * Verifies the requests that a node gets from its hub. Only a valid hub token proves that a request is from the hub
 * (contract 8.3).
 */
export class FromHub {
  readonly #options: FromHubOptions;

  constructor(options: FromHubOptions) {
    this.#options = options;
  }

  /** Returns whether the session was created through the hub. Commands of such a session need a hub token. */
  has(sessionId: string): boolean {
    return this.#options.sessions.has(sessionId);
  }

  /**
   * Returns whether the hub checks the commands of the session. This node then requires hub tokens for them, even if it
   * checks no other commands.
   */
  isGuarded(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#options.sessions.isGuarded(sessionId);
  }

  /**
   * Checks the hub token of a command. Throws `Refusal` if the token is refused, or `Unavailable` if the keys of the
   * hub are not available. Returns a promise only if the check is asynchronous. When the token is accepted, the
   * connection no longer counts towards the limit of connections per address.
   */
  checkCommand(req: IncomingMessage, sessionId: string): void | Promise<void> {
    const checked = this.#options.tokens.checkCommand(hubTokenOf(req), sessionId);
    if (checked instanceof Promise) return checked.then(() => this.stopCounting(req));
    this.stopCounting(req);
  }

  /**
   * Exempts the connection of a command from the limit of connections per address if the command has a valid hub token.
   * Used for commands that this node does not check, so an invalid token has no effect.
   */
  recognize(req: IncomingMessage, sessionId: string | undefined): void {
    const { connections } = this.#options;
    if (!connections.isCounted(req.socket)) return;
    if (sessionId === undefined || !this.has(sessionId) || hubTokenOf(req) === undefined) return;
    try {
      const checked = this.checkCommand(req, sessionId);
      if (checked instanceof Promise) checked.catch(ignore);
    } catch {
      // The token was refused, so the connection still counts towards the limit.
    }
  }

  /**
   * Exempts the connection of a request from the limit of connections per address. Call this after the hub token of the
   * request was accepted.
   */
  stopCounting({ socket }: IncomingMessage): void {
    this.#options.connections.stopCounting(socket);
  }

  /**
   * Admits a create-session request from the hub. Rejects with the `WebDriverError` to send if the hub token is
   * refused. If the token could not be checked, rejects with the error of the check.
   */
  async admit(hubToken: string | undefined, healingTiers: Admission['healingTiers']): Promise<Admission> {
    try {
      const { udid, guarded, sub, lessee, keep } = await this.#options.tokens.redeemCreate(hubToken);
      // The hub has already checked the owner, the teams and the reservations of phones.
      return {
        caller: null,
        lacksCredentials: false,
        teamId: null,
        maySee: () => true,
        healingTiers,
        lease: null,
        fromHub: { udid, guarded, holderId: hubHolder(lessee ?? sub), isLeased: lessee !== null },
        keep,
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { hubUrl } = this.#options;
      throw notCreated(`session rejected: create sessions through the hub, ${hubUrl} (${error.reason})`);
    }
  }

  /** Records that a session was created through the hub. */
  add(sessionId: string, fromHub: NonNullable<Admission['fromHub']>): void {
    this.#options.sessions.add(sessionId, fromHub);
  }
}

function ignore(): void {}

/**
 * @returns the hub token of a request, or undefined if there is none. If the header was sent twice, its values are
 * joined into an invalid token.
 */
export function hubTokenOf({ headers }: IncomingMessage): string | undefined {
  const given = headers[HEADERS.hubToken];
  return Array.isArray(given) ? given.join(', ') : given;
}
