/**
 * Maximum lifetime in seconds of the tokens of a trust rule. Only `svc-mcp` tokens and their session tokens can live
 * longer.
 */
const RULE_TOKEN_LIFE = 720 * 60;

/**
 * Returns the maximum time in seconds for which any token is valid. Revocations and replaced keys are kept for this
 * time. It also limits tokens that were minted while the setting was greater, which would otherwise outlive the
 * revocation of their key or sign-in.
 * @param mcpLifetime lifetime of `svc-mcp` tokens in seconds (`SVC_MCP_TOKEN_TTL_SEC`)
 */
export function longestLife(mcpLifetime: number): number {
  return Math.max(mcpLifetime, RULE_TOKEN_LIFE);
}
