import type { Credentials, World } from './world.ts';

/** All MCP scopes. A token with these scopes may call every tool. */
export const EVERY_SCOPE = [
  'auto:use',
  'svc:devices:read',
  'svc:devices:lock',
  'svc:analytics:read',
  'svc:recordings',
] as const;

export interface McpResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
  readonly body: any;
}

/** Sends a message to `/svc/mcp` with plain HTTP, so that a test can choose every header. */
export async function sendMcp(
  url: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
): Promise<McpResponse> {
  const response = await fetch(`${url}/svc/mcp`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' ? { body: typeof message === 'string' ? message : JSON.stringify(message) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

export const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** @returns the JSON-RPC message that calls a tool */
export function calling(name: string, input: object = {}) {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: input } };
}

/** An agent with an `svc-mcp` token, which sends plain HTTP requests. */
export class RawAgent {
  readonly as: Credentials;
  readonly #url: string;

  constructor(url: string, as: Credentials) {
    this.#url = url;
    this.as = as;
  }

  static async of(world: World, as: Credentials, scopes: readonly string[] = EVERY_SCOPE): Promise<RawAgent> {
    return new RawAgent(world.url, await world.bearer(as, { audience: 'svc-mcp', scopes }));
  }

  send(message: unknown, headers: Readonly<Record<string, string>> = {}): Promise<McpResponse> {
    return sendMcp(this.#url, message, { ...this.as, ...headers });
  }

  /** Calls a tool. Fails unless the HTTP status is 200. */
  async call(name: string, input: object = {}): Promise<ToolAnswer> {
    const { status, body } = await this.send(calling(name, input));
    if (status !== 200 || body.result === undefined)
      throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body.result;
  }

  async tools(): Promise<string[]> {
    const { body } = await this.send(LIST_TOOLS);
    return body.result.tools.map(({ name }: { name: string }) => name);
  }
}

export interface ToolAnswer {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect results of every tool.
  readonly structuredContent?: any;
  readonly isError?: boolean;
}
