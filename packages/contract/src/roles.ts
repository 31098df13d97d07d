/** Roles of an account, weakest first (specification 1). */
export const ROLES = ['Member', 'Admin', 'Super admin'] as const;
export type Role = (typeof ROLES)[number];

/** Statuses of an account (specification 2, User). */
export const STATUSES = ['Active', 'Inactive'] as const;
export type Status = (typeof STATUSES)[number];

/** @returns whether `role` is equal to `least` or stronger */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
