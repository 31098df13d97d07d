import type { Caller } from '@svc/auth-core';
import type { McpScope } from '@svc/contract';

/** An agent: the caller that the bearer of a request proves, with the MCP scopes of the bearer. */
export interface Agent {
  readonly caller: Caller;
  readonly scopes: readonly McpScope[];
  /** Headers of the agent's request that its WebDriver requests get, too: its bearer, its address, its request id. */
  readonly headers: Readonly<Record<string, string>>;
  /** Remote address of the agent's socket. */
  readonly peer: string | undefined;
  /** Aborted when the client of the request has disconnected. */
  readonly signal: AbortSignal;
}

/** A JSON object, in the shape of the REST response for the same thing. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface LeaseRequest {
  readonly udid?: string | undefined;
  readonly platform?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly minutes: number;
  /** Seconds to wait for a phone, from 0 to 60. */
  readonly queueSeconds?: number | undefined;
}

export interface Picture {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A page of rows; `before` selects rows older than the one it names. */
export interface PageRequest<Before> {
  readonly limit: number;
  readonly before: Before | undefined;
}

/**
 * Use cases of the lab that tools call. Each checks the caller's rights itself and throws a `Refusal` if the caller may
 * not do it.
 */
export interface AgentLab {
  devices(caller: Caller): readonly JsonObject[];
  /** Waits for a phone for as long as the input says, unless the agent disconnects. */
  lease(agent: Agent, input: LeaseRequest): Promise<JsonObject>;
  release(caller: Caller, leaseId: string): void;
  /** @param page `before` is the id of a session */
  sessions(caller: Caller, page: PageRequest<string>): readonly JsonObject[];
  session(caller: Caller, id: string): JsonObject;
  /** @param page `before` is the `seq` of a row; the newest rows come without it */
  sessionLog(caller: Caller, id: string, page: PageRequest<number>): readonly JsonObject[];
  /** @returns the picture that was shown at that time, or null if there is none */
  picture(caller: Caller, id: string, at: string): Promise<Picture | null>;
  /** Returns the WebDriver side of this server, or null if it runs no phones. */
  webDriver(): AgentWebDriver | null;
}

export interface WebDriverRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path below the base path, such as `/session/<id>/source`. */
  readonly path: string;
  readonly body?: JsonObject;
}

export interface WebDriverResponse {
  readonly status: number;
  /** `value` of the response's body. */
  readonly value: unknown;
}

/** Sends WebDriver requests of agents through the gate of this server. */
export interface AgentWebDriver {
  /**
   * @returns the session's platform, or undefined if the session does not run or is not the caller's own. Other callers'
   * sessions look like unknown ones.
   */
  platformOf(caller: Caller, sessionId: string): string | null | undefined;
  /** Sends a command and waits for the response. Rejects with `TooLargeResponse` beyond `maxBytes`. */
  send(agent: Agent, request: WebDriverRequest, maxBytes: number): Promise<WebDriverResponse>;
  /** Capabilities for a session if the agent names none; undefined if this server has no usual ones. */
  readonly usualCapabilities: JsonObject | undefined;
  /** @returns a session token that makes the caller the owner of a new session, or undefined while sign-in is off */
  sessionToken(caller: Caller): Promise<string | undefined>;
}

/** Thrown when a WebDriver response is larger than a tool accepts. */
export class TooLargeResponse extends Error {
  override name = 'TooLargeResponse';
}
