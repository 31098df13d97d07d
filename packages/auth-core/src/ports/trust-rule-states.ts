/**
 * Look-up of the state of a trust rule, which decides whether the tokens that CI jobs got through it are still valid.
 */
export interface TrustRuleStates {
  /**
   * Returns the state of a rule, or undefined if there is none. Reads from memory, because every check of a rule's
   * token calls this method.
   */
  byId(id: string): { readonly paused: boolean; readonly parentId: string | null } | undefined;
}
