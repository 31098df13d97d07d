import type { Caller } from '@svc/auth-core';
import type { McpScope } from '@svc/contract';

/**
 * Agent that sent a request to the MCP server. The bearer token of the request identifies the caller and contains the
 * MCP scopes.
 */
export interface Agent {
  readonly caller: Caller;
  readonly scopes: readonly McpScope[];
  /**
   * Headers that are copied from the agent's request into its WebDriver requests: bearer token, client address and
   * request id.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Remote address of the agent's socket. */
  readonly peer: string | undefined;
  /** Signal that is aborted when the client of the request disconnects. */
  readonly signal: AbortSignal;
}

/** A JSON object. If it describes a phone, a session or another resource, its fields are those of the REST API. */
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

/**
 * Limits of one page of rows. If `before` is set, the page contains only rows that are older than the row with this id
 * or number.
 */
export interface PageRequest<Before> {
  readonly limit: number;
  readonly before: Before | undefined;
}

/**
 * Use cases of the lab that tools call. Each use case checks the caller's rights and throws a `Refusal` if they do not
 * suffice.
 */
export interface AgentLab {
  devices(caller: Caller): Promise<readonly JsonObject[]>;
  /** Reserves a phone. Waits for one as long as the input allows, unless the agent disconnects. */
  lease(agent: Agent, input: LeaseRequest): Promise<JsonObject>;
  release(caller: Caller, leaseId: string): void;
  /**
   * Lists the sessions that the caller may see.
   * @param page `before` is the id of a session
   */
  sessions(caller: Caller, page: PageRequest<string>): Promise<readonly JsonObject[]>;
  session(caller: Caller, id: string): JsonObject;
  /**
   * Returns rows of a session's command log.
   * @param page `before` is the `seq` of a row; without it, the newest rows are returned
   */
  sessionLog(agent: Agent, id: string, page: PageRequest<number>): Promise<readonly JsonObject[]>;
  /** @returns the picture of the session's screen at the time `at` (ISO 8601), or null if the recording has none */
  picture(caller: Caller, id: string, at: string): Promise<Picture | null>;
  /** Returns the access to WebDriver sessions of this server, or null if it runs no phones. */
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
  /** Field `value` of the response's JSON body. */
  readonly value: unknown;
}

/** Sends WebDriver requests of agents to this server, which checks them like the requests of any other client. */
export interface AgentWebDriver {
  /**
   * @returns the platform of a running session of the caller, or null if its platform is unknown. Returns undefined for
   * every other session, so that a caller cannot find out whether another caller has a session with this id.
   */
  platformOf(caller: Caller, sessionId: string): string | null | undefined;
  /**
   * Sends a WebDriver command and returns its response. Rejects with `TooLargeResponse` if the response exceeds
   * `maxBytes`.
   */
  send(agent: Agent, request: WebDriverRequest, maxBytes: number): Promise<WebDriverResponse>;
  /** Default capabilities of a new session, used if the agent names none. Undefined if this server has no default. */
  readonly usualCapabilities: JsonObject | undefined;
  /** @returns a session token that makes the caller the owner of a new session, or undefined while sign-in is off */
  sessionToken(caller: Caller): Promise<string | undefined>;
}

/** Thrown when a WebDriver response is larger than a tool accepts. */
export class TooLargeResponse extends Error {
  override name = 'TooLargeResponse';
}
