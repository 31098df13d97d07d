import type { Server } from 'node:http';
import type { Caller, IssueBearer } from '@svc/auth-core';
import type { DriverSessions } from '@svc/device-lab';
import { InnerResponseTooLarge, sendInner } from '@svc/webdriver-gate';
import { type AgentWebDriver, type JsonObject, TooLargeResponse } from './ports.ts';

interface LocalWebDriverOptions {
  readonly sessions: Pick<DriverSessions, 'byId'>;
  readonly bearerTokens: Pick<IssueBearer, 'sessionToken'>;
  /**
   * Settings of the server. While `authDisabled` is true, tools can drive every session; otherwise only the caller's.
   */
  readonly config: { readonly authDisabled: boolean };
  /** Capabilities that match every device of the local lab, or null if this process runs no local lab. */
  readonly localLab: { readonly capabilities: JsonObject } | null;
}

/**
 * HTTP server of this process, to which the WebDriver requests of agents are sent. The server checks these requests
 * like those of any other client.
 */
interface Gated {
  readonly server: Server;
  /** Base path without a slash at its end. */
  readonly basePath: string;
}

/**
 * Sends WebDriver requests of agents to the HTTP server of this process, if it accepts WebDriver requests (contract
 * 12).
 */
export class LocalWebDriver {
  readonly #options: LocalWebDriverOptions;
  #gated: Gated | null = null;

  constructor(options: LocalWebDriverOptions) {
    this.#options = options;
  }

  /**
   * Sets the HTTP server to which WebDriver requests of agents are sent. Until this method is called, agents get the
   * response that this server has no phones.
   */
  behind(gated: Gated): void {
    this.#gated = gated;
  }

  /** @returns the object with which tools send WebDriver requests, or null if this server accepts no such requests */
  ofAgents(): AgentWebDriver | null {
    const gated = this.#gated;
    if (gated === null) return null;
    const { localLab, config, bearerTokens } = this.#options;
    return {
      usualCapabilities: localLab?.capabilities,
      platformOf: (caller, id) => this.#platformOf(caller, id),
      sessionToken: async (caller) =>
        config.authDisabled ? undefined : await bearerTokens.sessionToken(caller),
      send: async ({ headers, peer, signal }, { method, path, body }, maxBytes) => {
        const request = {
          method,
          path: `${gated.basePath}${path}`,
          headers,
          body: body === undefined ? undefined : JSON.stringify(body),
          peer,
          signal,
        };
        try {
          const { status, text } = await sendInner(gated.server, request, maxBytes);
          return { status, value: driverValue(text) };
        } catch (error) {
          if (error instanceof InnerResponseTooLarge) throw new TooLargeResponse();
          throw error;
        }
      },
    };
  }

  /**
   * Returns the platform of a running session of the caller, or undefined for any other session. Tools can drive only
   * the caller's own sessions, even if the caller is an admin who can drive the sessions of others.
   */
  #platformOf(caller: Caller, id: string): string | null | undefined {
    const { sessions, config } = this.#options;
    const session = sessions.byId(id);
    if (session === undefined || session.endedAt !== null) return undefined;
    if (session.ownerId !== caller.account.id && !config.authDisabled) return undefined;
    return session.device?.platform ?? null;
  }
}

function driverValue(text: string): unknown {
  try {
    return (JSON.parse(text) as { value?: unknown } | null)?.value;
  } catch {
    return undefined;
  }
}
