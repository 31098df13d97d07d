import { type CallerAccess, isAtLeast } from '@svc/contract';
import { Refusal } from '../errors.ts';
import type { Caller } from '../principal.ts';
import { holds } from '../scopes.ts';

/** Throws the refusal: role first, then scope (contract 1, guard order). */
export function checkAccess({ account, credential, scopes }: Caller, access: CallerAccess): void {
  if (access.only !== undefined && !access.only.some((kind) => kind === credential.kind)) {
    throw new Refusal('sign_in_required');
  }
  if (access.bearerFromSignIn && credential.sourceSignIn === null && !credential.isPerson) {
    throw new Refusal('sign_in_required', 'bearer token not minted from a sign-in');
  }
  if (access.role !== undefined && !isAtLeast(account.role, access.role)) {
    throw new Refusal('insufficient_role', 'role too low', { required: access.role });
  }
  if (access.scope !== undefined && !holds(scopes, access.scope)) {
    throw new Refusal('insufficient_scope', 'scope missing', { required: access.scope });
  }
}

/** Whether `checkAccess` would let the caller through. */
export function mayAccess(caller: Caller, access: CallerAccess): boolean {
  try {
    checkAccess(caller, access);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** May drive, see and end anyone's session (contract 3.4). */
export function isOverrideAdmin(caller: Caller): boolean {
  return caller.account.role === 'Super admin' || holds(caller.scopes, 'admin');
}
