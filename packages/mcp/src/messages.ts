import type { RateCategory } from '@svc/auth-core';
import type { McpScope } from '@svc/contract';
import { TOOLS } from './tools/index.ts';

const SCOPE_OF = new Map(TOOLS.map(({ name, scope }) => [name, scope]));
/** Scopes whose calls count as changes (contract 12). */
const CHANGING: ReadonlySet<McpScope> = new Set(['auto:use', 'svc:devices:lock']);

/** What the checks before a message need to know about it. */
export interface MessageFacts {
  /** MCP scope that the called tool needs, or null if the message calls no known tool. */
  readonly scope: McpScope | null;
  readonly category: RateCategory;
}

/** Reads a JSON-RPC message as far as the checks need it. */
export function factsOf(message: unknown): MessageFacts {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  const scope = typeof name === 'string' ? (SCOPE_OF.get(name) ?? null) : null;
  return { scope, category: scope !== null && CHANGING.has(scope) ? 'change' : 'read' };
}
