import { type Account, newAccessKey, Refusal } from '@svc/auth-core';
import type { Role, Status } from '@svc/contract';
import { TEMPORARY_PASSWORD_MS } from '../passwords/set-password.ts';
import type { AccountTransaction } from '../ports/stores.ts';
import type { PasswordTools } from '../ports/tools.ts';
import type { UserChange } from '../rules/change-user.ts';

/*
 * Functions that change accounts, shared by the API and the command line. Each takes part in the transaction of the
 * flow that calls it, and the flow has already decided whether the change is allowed.
 */

export interface AccountInput {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Hash of the password. Null if the account has no password until its owner sets one with a reset link. */
  readonly passwordHash: string | null;
  /** Status of the account. Default: Active. */
  readonly status?: Status | undefined;
  /** Whether the password is temporary. The owner then has to replace it, and it expires if it is not used. */
  readonly isTemporary: boolean;
  readonly teamIds?: readonly string[] | undefined;
}

/**
 * Adds an account. Throws `Conflict` if the e-mail address is taken.
 * @returns the id of the new account
 */
export function addAccount(
  tx: AccountTransaction,
  { random, clock }: Pick<PasswordTools, 'random' | 'clock'>,
  { email, name, role, status = 'Active', passwordHash, isTemporary, teamIds = [] }: AccountInput,
): string {
  const id = random.uuid();
  const createdAt = clock.now();
  tx.accounts.insert({
    id,
    email,
    name,
    role,
    status,
    accessKey: newAccessKey(random),
    passwordHash,
    temporaryPasswordUntil: isTemporary ? createdAt + TEMPORARY_PASSWORD_MS : null,
    defaultPassword: false,
    createdAt,
  });
  for (const teamId of new Set(teamIds)) tx.teams.addMember(teamId, id);
  return id;
}

/**
 * Changes an account. The status Inactive ends its sign-ins and reset links (contract 2). Throws a refusal if no active
 * Super admin would be left.
 */
export function changeAccount(tx: AccountTransaction, target: Account, change: UserChange): void {
  const { name, role, status, teamIds, emailConfirmed } = change;
  const loses = (role !== undefined && role !== 'Super admin') || status === 'Inactive';
  if (loses) keepLastSuperAdmin(tx, target);
  tx.accounts.update(target.id, {
    ...(name === undefined ? {} : { name }),
    ...(role === undefined ? {} : { role }),
    ...(status === undefined ? {} : { status }),
  });
  if (status !== undefined) takeFromDirectory(tx, target.id);
  if (status === 'Inactive') {
    tx.signIns.endAllOf(target.id);
    tx.resetLinks.cancelAllOf(target.id);
  }
  if (emailConfirmed === true) tx.identities.setEmailUnconfirmed(target.id, false);
  if (teamIds !== undefined) setTeams(tx, target, new Set(teamIds));
}

/**
 * Records that the status of an account is no longer the one that the identity provider set. The flow of the provider
 * records its own changes afterwards.
 */
function takeFromDirectory({ directoryUsers }: AccountTransaction, id: string): void {
  const entry = directoryUsers.entryOf(id);
  if (entry?.isDeactivated === true) directoryUsers.save(id, { ...entry, isDeactivated: false });
}

/**
 * Throws a refusal if `target` is the last active Super admin. Counts the Super admins inside the transaction, so that
 * two concurrent requests or commands cannot each remove one of the last two.
 */
export function keepLastSuperAdmin({ accounts }: AccountTransaction, target: Account): void {
  if (target.role !== 'Super admin' || target.status !== 'Active') return;
  if (accounts.countActive('Super admin') <= 1) throw new Refusal('last_super_admin');
}

/** @returns the names of the changed properties, in words for the audit trail */
export function changesOf(before: Account, change: UserChange): string {
  const parts: string[] = [];
  if (change.name !== undefined && change.name !== before.name) parts.push('name');
  if (change.role !== undefined && change.role !== before.role)
    parts.push(`role ${before.role} to ${change.role}`);
  if (change.status !== undefined && change.status !== before.status) {
    parts.push(`status ${before.status} to ${change.status}`);
  }
  if (change.teamIds !== undefined) parts.push('teams');
  if (change.emailConfirmed === true) parts.push('e-mail address confirmed');
  return parts.join(', ') || 'nothing';
}

function setTeams({ teams }: AccountTransaction, target: Account, wanted: Set<string>): void {
  for (const { id } of target.teams) if (!wanted.has(id)) teams.removeMember(id, target.id);
  const present = new Set(target.teams.map(({ id }) => id));
  for (const id of wanted) if (!present.has(id)) teams.addMember(id, target.id);
}
