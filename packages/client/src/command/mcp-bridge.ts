import type { RenewedBearer } from '../renewed-bearer.ts';

interface BridgeOptions {
  /** Origin (scheme, host and port) of the lab. */
  readonly url: string;
  readonly bearer: Pick<RenewedBearer, 'ready'>;
  /** Writes a message to the agent, as one line. The text has no line break. */
  readonly out: (line: string) => void;
}

type Message = Readonly<Record<string, unknown>>;

/**
 * Name of the member of `params._meta` in which MCP messages state their protocol revision, since revision 2026-07-28.
 */
const REVISION = 'io.modelcontextprotocol/protocolVersion';
/** Error codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/**
 * Forwards MCP messages between an agent, which writes one message per line, and the MCP server of a lab. Requests run
 * concurrently, because an agent may send a message that cancels a running request.
 */
export class McpBridge {
  readonly #options: BridgeOptions;
  /** Running requests by the JSON text of their id. */
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  #isClosed = false;
  /** Protocol revision that `initialize` negotiated. Undefined before that. */
  #revision: string | undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Handles a line from the agent. Errors are sent to the agent as JSON-RPC error responses. */
  take(line: string): void {
    if (line.trim() === '') return;
    const message = parsed(line);
    if (message === undefined) {
      this.#answer({ id: null, error: { code: PARSE_ERROR, message: 'The line is no JSON object.' } });
      return;
    }
    if (message.method === 'notifications/cancelled') this.#cancel(message);
    const abort = new AbortController();
    const key = JSON.stringify(message.id ?? { notification: this.#running.size });
    const done = this.#forward(message, abort.signal).finally(() => this.#running.delete(key));
    this.#running.set(key, { abort, done });
  }

  /** Aborts the running requests and waits until they have ended. Call it when the agent has closed its side. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ done }) => done));
  }

  #cancel({ params }: Message): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    this.#running.get(JSON.stringify(requestId))?.abort.abort();
  }

  async #forward(message: Message, signal: AbortSignal): Promise<void> {
    try {
      const response = await this.#send(message, signal);
      const text = await response.text();
      if (message.id === undefined) return;
      const answer = parsed(text);
      if (answer?.jsonrpc === '2.0') this.#pass(message, answer);
      else
        this.#answer({ id: message.id, error: { code: SERVER_ERROR, message: problem(response, answer) } });
    } catch (error) {
      if (signal.aborted || message.id === undefined) return;
      const cause = error instanceof Error ? error.message : String(error);
      this.#answer({
        id: message.id,
        error: { code: SERVER_ERROR, message: `The lab did not respond: ${cause}` },
      });
    }
  }

  async #send(message: Message, signal: AbortSignal): Promise<Response> {
    const { url, bearer } = this.#options;
    return await fetch(`${url}/svc/mcp`, {
      method: 'POST',
      headers: {
        ...this.#revisionHeaders(message),
        authorization: `Bearer ${await bearer.ready()}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal,
    });
  }

  /**
   * @returns the HTTP headers for a message. Depending on the protocol revision, they repeat the revision, the method
   * and the name of the tool or other object that the message names
   */
  #revisionHeaders({ method, params }: Message): Record<string, string> {
    const { _meta, name } = (params ?? {}) as { _meta?: Message; name?: unknown };
    const revision = _meta?.[REVISION];
    if (typeof revision !== 'string' || typeof method !== 'string')
      return this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision };
    const named = typeof name === 'string' ? { 'mcp-name': name } : {};
    return { 'mcp-protocol-version': revision, 'mcp-method': method, ...named };
  }

  #pass(message: Message, answer: Message): void {
    const { protocolVersion } = (answer.result ?? {}) as { protocolVersion?: unknown };
    if (message.method === 'initialize' && typeof protocolVersion === 'string')
      this.#revision = protocolVersion;
    this.#answer(answer.id === null ? { ...answer, id: message.id } : answer);
  }

  #answer(message: Message): void {
    if (!this.#isClosed) this.#options.out(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

/** @returns the text of the error that the agent gets if the lab's response is not an MCP message */
function problem({ status, headers }: Response, body: Message | undefined): string {
  const code = typeof body?.error === 'string' ? body.error : `status ${status}`;
  if (status === 429) return `${code}: wait ${headers.get('retry-after') ?? 'some'} s, then try again.`;
  if (status === 401)
    return `${code}: the token was stopped, or the account is no longer valid. Ask the person who started you.`;
  if (status === 403) return `${code}: the token lacks ${String(body?.required ?? 'a scope')}.`;
  return `${code}: try again later.`;
}

function parsed(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Message)
      : undefined;
  } catch {
    return undefined;
  }
}
