import type { Account, Caller } from '@svc/auth-core';
import { isAtLeast } from '@svc/contract';

/**
 * @returns whether the caller may see a device of this team. Everyone may see devices of the shared pool, members see
 * the devices of their teams, and Admins see all devices. A key of a team limits a Member to that team (contract 2 and
 * 3.5).
 */
export function maySeeDevice(caller: Caller | null, teamId: string | null): boolean {
  if (teamId === null) return true;
  if (caller === null) return false;
  const isElsewhere = caller.teamId !== null && caller.teamId !== teamId;
  if (isElsewhere && !isAtLeast(caller.account.role, 'Admin')) return false;
  return accountSeesDevice(caller.account, teamId);
}

/**
 * @returns whether an account may see a device of this team. Use it if there is no credential, for example for the
 * holder of a lease. With a credential, use `maySeeDevice`, which also considers the team of its key
 */
export function accountSeesDevice({ role, teams }: Account, teamId: string | null): boolean {
  return teamId === null || isAtLeast(role, 'Admin') || teams.some((team) => team.id === teamId);
}
