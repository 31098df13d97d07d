import { signInAddress } from './addresses.ts';
import { forgetVisit, hasVisited, noteEnd } from './visited.ts';

let leaves = false;

/**
 * Marks the open page as one for signed-in users, so that `leaveSignedOut` leaves it.
 */
export function leaveWhenSignedOut(): void {
  leaves = true;
}

/**
 * Opens the sign-in page if the open page is for signed-in users. Called when the sign-in has ended.
 * @returns whether the page is being left
 */
export function leaveSignedOut(): boolean {
  if (!leaves) return false;
  if (hasVisited()) noteEnd();
  forgetVisit();
  location.replace(signInAddress());
  return true;
}
