/** API scopes, in the order in which every list of scopes in a response has them (contract 1). */
export const SCOPES = ['read', 'sessions', 'devices', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of an `svc-mcp` bearer token (specification 2, MCP scopes). */
export const MCP_SCOPES = [
  'auto:use',
  'svc:devices:read',
  'svc:devices:lock',
  'svc:analytics:read',
  'svc:recordings',
] as const;
export type McpScope = (typeof MCP_SCOPES)[number];

export function isScope(value: unknown): value is Scope {
  return (SCOPES as readonly unknown[]).includes(value);
}

export function isMcpScope(value: unknown): value is McpScope {
  return (MCP_SCOPES as readonly unknown[]).includes(value);
}
