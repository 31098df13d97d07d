import type { RateCategory } from '@svc/auth-core';
import type { McpScope } from '@svc/contract';
import { TOOLS } from './tools/index.ts';

const SCOPE_OF = new Map(TOOLS.map(({ name, scope }) => [name, scope]));
/** Scopes of the tools that change something. The rate limit counts calls of these tools as changes (contract 12). */
const CHANGING: ReadonlySet<McpScope> = new Set(['auto:use', 'svc:devices:lock']);

/** Facts about a message that the scope check and the rate limit need. */
export interface MessageFacts {
  /** MCP scope that the called tool needs, or null if the message calls no known tool. */
  readonly scope: McpScope | null;
  readonly category: RateCategory;
}

/** @returns the name of the known tool that a message calls, or null if it calls none */
export function toolIn(message: unknown): string | null {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' && SCOPE_OF.has(name) ? name : null;
}

/** Extracts from a JSON-RPC message the facts that the scope check and the rate limit need. */
export function factsOf(message: unknown): MessageFacts {
  const scope = SCOPE_OF.get(toolIn(message) ?? '') ?? null;
  return { scope, category: scope !== null && CHANGING.has(scope) ? 'change' : 'read' };
}
