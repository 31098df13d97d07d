import { call } from '../../../api/client.ts';
import { caller } from '../../../api/current-caller.ts';

/** @returns a token that makes the user the owner of a new session, or undefined while sign-in is off */
export async function sessionToken(): Promise<string | undefined> {
  if (caller.value.authDisabled) return undefined;
  return (await call('issueSessionToken')).sessionToken;
}
