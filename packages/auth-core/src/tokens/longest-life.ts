/** Maximum lifetime in seconds of the tokens of a trust rule. No token but `svc-mcp` and its session token lives longer. */
const RULE_TOKEN_LIFE = 720 * 60;

/**
 * @param mcpLifetime lifetime of `svc-mcp` tokens in seconds (`SVC_MCP_TOKEN_TTL_SEC`)
 * @returns for how many seconds a token is valid at most. So long a revocation and a replaced key are kept. A token that
 * was minted while the setting was greater ends by then, too, because otherwise it would outlive its revocation.
 */
export function longestLife(mcpLifetime: number): number {
  return Math.max(mcpLifetime, RULE_TOKEN_LIFE);
}
