import type { Access } from '@svc/contract';
import { Refusal } from '../errors.ts';
import { type Credential, NO_CREDENTIAL } from '../principal.ts';

/**
 * Time (ms) for which a sign-in is fresh after the person has proved who they are, for example with the password
 * (contract 10).
 */
const FRESH_MS = 10 * 60 * 1000;

/**
 * Throws a refusal if the route requires a fresh sign-in and the caller's sign-in is not fresh. The caller can make it
 * fresh with `POST /auth/reauthenticate`. Call this function after `checkAccess`, so that a caller who lacks access to
 * the route does not enter a password for nothing.
 */
export function checkFresh(
  { credential }: { readonly credential: Credential },
  { fresh }: Pick<Access, 'fresh'>,
  now: number,
): void {
  if (fresh !== true || isFresh(credential, now)) return;
  throw new Refusal('fresh_sign_in_required', 'sign-in not fresh');
}

/**
 * @returns whether the person proved who they are in the last 10 minutes. While sign-in is turned off there is nothing
 * to prove, so every caller counts as fresh (specification 5.12).
 */
export function isFresh(credential: Credential, now: number): boolean {
  if (credential === NO_CREDENTIAL) return true;
  return credential.provenAt !== null && now < credential.provenAt + FRESH_MS;
}
