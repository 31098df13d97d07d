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

/** @returns the name of the known tool that a message calls, or null if it calls none */
export function toolIn(message: unknown): string | null {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' && SCOPE_OF.has(name) ? name : null;
}

/** Reads a JSON-RPC message as far as the checks need it. */
export function factsOf(message: unknown): MessageFacts {
  const scope = SCOPE_OF.get(toolIn(message) ?? '') ?? null;
  return { scope, category: scope !== null && CHANGING.has(scope) ? 'change' : 'read' };
}
