import type { McpScope } from '@svc/contract';

/** Path of the metadata document of the MCP server (RFC 9728). */
const METADATA = '/.well-known/oauth-protected-resource/svc/mcp';

interface Challenge {
  /** Public URL of the server without a slash at its end, or null if it has none. */
  readonly publicUrl: string | null;
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined;
  readonly scope?: McpScope | undefined;
}

/** @returns the value of the header `WWW-Authenticate` for a refused request (contract 12, RFC 6750, RFC 9728) */
export function challenge({ publicUrl, error, scope }: Challenge): string {
  const attributes = [
    ...(publicUrl === null ? [] : [`resource_metadata="${publicUrl}${METADATA}"`]),
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ];
  return attributes.length === 0 ? 'Bearer' : `Bearer ${attributes.join(', ')}`;
}
