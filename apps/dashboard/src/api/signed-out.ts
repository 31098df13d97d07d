import { signInAddress } from './addresses.ts';
import { forgetVisit, hasVisited, noteEnd } from './visited.ts';

let leaves = false;

/**
 * Makes every later call of `leaveSignedOut` open the sign-in page. Pages for signed-out users do not call this
 * function.
 */
export function leaveWhenSignedOut(): void {
  leaves = true;
}

/**
 * Opens the sign-in page because the sign-in has ended, unless the page is for signed-out users.
 * @returns whether the page is being left
 */
export function leaveSignedOut(): boolean {
  if (!leaves) return false;
  if (hasVisited()) noteEnd();
  forgetVisit();
  location.replace(signInAddress());
  return true;
}
