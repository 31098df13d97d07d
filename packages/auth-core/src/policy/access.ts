import { type Access, acceptedProof, type CredentialProof, isAtLeast, type McpScope } from '@svc/contract';
import { Refusal } from '../errors.ts';
import type { Account, Caller, Credential } from '../principal.ts';
import { holds, type ScopeSet } from '../scopes.ts';
import { refuseAgents } from './agent-limits.ts';

/**
 * Throws a refusal if the caller does not have the access that a route requires. It checks the kind of credential
 * first, then the role, then the scope (contract 1, guard order).
 */
export function checkAccess(caller: Caller, access: Access): void {
  if (access.refusesAgents) refuseAgents(caller);
  const proof = acceptedProof(access, 'credential');
  if (proof !== undefined) checkCredential(caller, proof, access.fresh === true);
  checkRoleAndScope(caller, access);
}

/** @param fresh whether the route needs a recent proof of identity; the error code then differs (contract 10) */
function checkCredential(
  { credential }: Caller,
  { only, bearerFromSignIn, mcpScope }: CredentialProof,
  fresh: boolean,
): void {
  if (only !== undefined && !only.some((kind) => kind === credential.kind)) {
    throw new Refusal(fresh ? 'fresh_sign_in_required' : 'sign_in_required', 'credential is no sign-in');
  }
  if (bearerFromSignIn && credential.sourceSignIn === null && !credential.isPerson) {
    throw new Refusal('sign_in_required', 'bearer token not minted from a sign-in');
  }
  if (mcpScope !== undefined && heldMcpScopes(credential)?.includes(mcpScope) === false) {
    throw new Refusal('insufficient_scope', 'MCP scope missing', { required: mcpScope });
  }
}

/**
 * @returns the MCP scopes of an agent's token, whatever its audience, or null for every other credential (contract 4)
 */
export function heldMcpScopes({ mcpScopes, agent }: Credential): readonly McpScope[] | null {
  if (mcpScopes !== null) return mcpScopes;
  // A ticket of an earlier version stored an agent without MCP scopes.
  return agent === null ? null : (agent.mcpScopes ?? []);
}

/** Throws a refusal like `checkAccess`, but does not check the kind of the credential. */
export function checkRoleAndScope(
  { account, scopes }: { readonly account: Pick<Account, 'role'>; readonly scopes: ScopeSet },
  access: Pick<Access, 'role' | 'scope'>,
): void {
  if (access.role !== undefined && !isAtLeast(account.role, access.role)) {
    throw new Refusal('insufficient_role', 'role too low', { required: access.role });
  }
  if (access.scope !== undefined && !holds(scopes, access.scope)) {
    throw new Refusal('insufficient_scope', 'scope missing', { required: access.scope });
  }
}

/** @returns whether `checkAccess` would let the caller through */
export function mayAccess(caller: Caller, access: Access): boolean {
  try {
    checkAccess(caller, access);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** @returns whether the caller may drive, see and end the sessions of all users (contract 3.4) */
export function isOverrideAdmin(caller: Caller): boolean {
  return caller.account.role === 'Super admin' || holds(caller.scopes, 'admin');
}
